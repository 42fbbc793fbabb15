//! The lines of a list or of a file of records, one at a time, with a bound on each.

use std::io::{self, BufRead};

/// The longest line, in bytes. A longer one is skipped without being kept.
pub(super) const MAX_LINE_BYTES: u64 = 64 << 20;

/// A line.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ListLine {
    /// Its number, from 1.
    pub number: u64,
    /// The offset at which it begins, in bytes from the start.
    pub offset: u64,
    /// Its content, without its end and without a byte order mark; `None` if it is too long.
    pub bytes: Option<Vec<u8>>,
}

/// Lines of a stream.
pub(super) struct Lines {
    input: Box<dyn BufRead + Send>,
    number: u64,
    offset: u64,
    limit: u64,
}

impl Lines {
    pub(super) fn new(input: Box<dyn BufRead + Send>) -> Self {
        Lines { input, number: 0, offset: 0, limit: MAX_LINE_BYTES }
    }

    /// Sets the longest line, in bytes.
    #[cfg(test)]
    fn at_most(mut self, limit: u64) -> Self {
        self.limit = limit;
        self
    }

    /// The next line; `None` at the end.
    pub(super) fn read_next(&mut self) -> io::Result<Option<ListLine>> {
        let mut bytes = Vec::new();
        let mut length = 0_u64;
        let mut ended = false;
        while !ended {
            let found = match self.input.fill_buf() {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                found => found?,
            };
            if found.is_empty() {
                break;
            }
            let end = found.iter().position(|byte| *byte == b'\n');
            ended = end.is_some();
            let part = found.get(..end.unwrap_or(found.len())).unwrap_or(found);
            let used = part.len() + usize::from(ended);
            if length + part.len() as u64 <= self.limit {
                bytes.extend_from_slice(part);
            } else {
                bytes = Vec::new();
            }
            length += used as u64;
            self.input.consume(used);
        }
        if length == 0 {
            return Ok(None);
        }
        let offset = self.offset;
        self.offset += length;
        self.number += 1;
        let is_whole = length - u64::from(ended) <= self.limit;
        let bytes = is_whole.then(|| plain(bytes, self.number == 1));
        Ok(Some(ListLine { number: self.number, offset, bytes }))
    }
}

/// Removes the mark that some editors put first, and the carriage return that others put last.
pub(super) fn plain(mut bytes: Vec<u8>, is_first: bool) -> Vec<u8> {
    const MARK: &[u8] = b"\xEF\xBB\xBF";
    if is_first && bytes.starts_with(MARK) {
        bytes.drain(..MARK.len());
    }
    if bytes.ends_with(b"\r") {
        bytes.pop();
    }
    bytes
}

/// Returns whether the first bytes say that a text is UTF-16.
pub(super) fn is_wide(bytes: &[u8]) -> bool {
    bytes.starts_with(b"\xFF\xFE") || bytes.starts_with(b"\xFE\xFF")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{BufReader, Cursor};

    fn lines(text: &[u8], capacity: usize) -> Vec<(u64, u64, Option<String>)> {
        let input = BufReader::with_capacity(capacity, Cursor::new(text.to_vec()));
        let mut lines = Lines::new(Box::new(input)).at_most(10);
        let mut found = Vec::new();
        while let Some(line) = lines.read_next().unwrap() {
            found.push((line.number, line.offset, line.bytes.map(|b| String::from_utf8(b).unwrap())));
        }
        found
    }

    #[test]
    fn lines_come_with_their_places_and_long_ones_are_passed_over() {
        let text = b"\xEF\xBB\xBFone\r\n\n0123456789\n0123456789a\nlast";
        for capacity in [1, 3, 1_000] {
            assert_eq!(
                lines(text, capacity),
                [
                    (1, 0, Some("one".into())),
                    (2, 8, Some(String::new())),
                    (3, 9, Some("0123456789".into())),
                    (4, 20, None),
                    (5, 32, Some("last".into())),
                ]
            );
        }
        assert!(lines(b"", 8).is_empty());
    }
}
