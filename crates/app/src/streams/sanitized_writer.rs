//! Standard output and standard error as everything of this program writes to them: no text from outside reaches a
//! terminal as a command to it.

use crate::value::is_wild;
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Longest colour sequence that is let through.
const LONGEST_COLOUR: usize = 20;

/// A stream in which control characters and those that change the direction of text are written as `\u001b`: in JSON
/// that is the same character, and people see that it was there.
pub struct SanitizedWriter<W: Write> {
    inner: W,
    /// `true` if colours are wanted: then their sequences are let through, and nothing else of a terminal's language.
    coloured: bool,
    /// The beginning of a character or of a colour whose rest is yet to come.
    pending: Vec<u8>,
    /// `true` while everything is let through.
    exact: Arc<AtomicBool>,
}

impl<W: Write> SanitizedWriter<W> {
    /// A stream that lets colours through if they are wanted.
    pub fn new(inner: W, coloured: bool) -> Self {
        SanitizedWriter { inner, coloured, pending: Vec::new(), exact: Arc::default() }
    }

    /// The switch that lets everything through while it is on: for texts that another program reads.
    pub(super) fn exact(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.exact)
    }

    fn write_text(&mut self, text: &str, is_last: bool) -> io::Result<()> {
        if text.bytes().all(is_plain) {
            return self.inner.write_all(text.as_bytes());
        }
        let mut clean = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(at) = rest.find(|c: char| is_wild(c) && !matches!(c, '\n' | '\t')) {
            let (before, from) = rest.split_at(at);
            clean.push_str(before);
            let colour = if self.coloured { colour(from) } else { Colour::None };
            let taken = match colour {
                Colour::Whole(length) => {
                    clean.push_str(from.get(..length).unwrap_or_default());
                    length
                }
                // The rest may come with the next write.
                Colour::Begun if !is_last => {
                    self.pending.extend_from_slice(from.as_bytes());
                    return self.inner.write_all(clean.as_bytes());
                }
                Colour::Begun | Colour::None => {
                    let c = from.chars().next().unwrap_or_default();
                    // Lines of Windows files end in two characters.
                    if !from.starts_with("\r\n") {
                        for unit in c.encode_utf16(&mut [0; 2]) {
                            clean.push_str(&format!("\\u{unit:04x}"));
                        }
                    }
                    c.len_utf8()
                }
            };
            rest = from.get(taken..).unwrap_or_default();
        }
        if clean.is_empty() {
            return self.inner.write_all(rest.as_bytes());
        }
        clean.push_str(rest);
        self.inner.write_all(clean.as_bytes())
    }

    fn write_pending(&mut self) -> io::Result<()> {
        let pending = std::mem::take(&mut self.pending);
        self.write_text(&String::from_utf8_lossy(&pending), true)
    }
}

/// Returns whether a byte is a character that no terminal takes for anything else, as nearly all are.
fn is_plain(byte: u8) -> bool {
    matches!(byte, b' '..=b'~' | b'\n' | b'\t')
}

enum Colour {
    /// A whole sequence, with its length in bytes.
    Whole(usize),
    /// The beginning of one.
    Begun,
    None,
}

/// The colour sequence at the beginning of a text. One that hides the text after it (`8`) does not count.
fn colour(text: &str) -> Colour {
    let Some(rest) = text.strip_prefix('\u{1b}') else { return Colour::None };
    let Some(rest) = rest.strip_prefix('[') else {
        return if rest.is_empty() { Colour::Begun } else { Colour::None };
    };
    let end = rest.find(|c: char| !c.is_ascii_digit() && c != ';').unwrap_or(rest.len());
    if end > LONGEST_COLOUR {
        return Colour::None;
    }
    let hides =
        rest.get(..end).unwrap_or_default().split(';').any(|code| code.trim_start_matches('0') == "8");
    match rest.get(end..).and_then(|rest| rest.chars().next()) {
        Some('m') if !hides => Colour::Whole(end + 3),
        None => Colour::Begun,
        Some(_) => Colour::None,
    }
}

impl<W: Write> Write for SanitizedWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_all(bytes).map(|()| bytes.len())
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.exact.load(Ordering::Relaxed) {
            self.write_pending()?;
            return self.inner.write_all(bytes);
        }
        let mut joined = std::mem::take(&mut self.pending);
        let mut rest = if joined.is_empty() {
            bytes
        } else {
            joined.extend_from_slice(bytes);
            &joined
        };
        loop {
            match std::str::from_utf8(rest) {
                Ok(text) => return self.write_text(text, false),
                Err(error) => {
                    let (valid, from) = rest.split_at(error.valid_up_to());
                    let is_begun = error.error_len().is_none();
                    self.write_text(std::str::from_utf8(valid).unwrap_or_default(), !is_begun)?;
                    match error.error_len() {
                        None => {
                            self.pending.extend_from_slice(from);
                            return Ok(());
                        }
                        Some(length) => {
                            self.inner.write_all("\u{fffd}".as_bytes())?;
                            rest = from.get(length..).unwrap_or_default();
                        }
                    }
                }
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

impl<W: Write> Drop for SanitizedWriter<W> {
    fn drop(&mut self) {
        // Writes the rest that was never completed; failing to is no reason to stop.
        let _ = self.write_pending().and_then(|()| self.inner.flush());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(parts: &[&[u8]], coloured: bool) -> String {
        let mut bytes = Vec::new();
        let mut stream = SanitizedWriter::new(&mut bytes, coloured);
        for part in parts {
            stream.write_all(part).unwrap();
        }
        drop(stream);
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn what_a_terminal_would_obey_is_written_out() {
        assert_eq!(written(&[b"a\tb\n\x1b[2Jc\x07"], false), "a\tb\n\\u001b[2Jc\\u0007");
        assert_eq!(written(&["x\u{202e}y\u{9b}31mz\u{7f}".as_bytes()], true), "x\\u202ey\\u009b31mz\\u007f");
        assert_eq!(written(&[b"one\r\ntwo\rthree"], false), "one\ntwo\\u000dthree");
        assert_eq!(written(&["Größe, 6–11 %".as_bytes()], false), "Größe, 6–11 %");
    }

    #[test]
    fn colours_are_let_through_where_they_are_wanted_and_hidden_text_is_not() {
        let painted = b"\x1b[1;31mbad\x1b[0m \x1b[8mhidden \x1b]0;title\x07";
        assert_eq!(written(&[painted], true), "\x1b[1;31mbad\x1b[0m \\u001b[8mhidden \\u001b]0;title\\u0007");
        assert_eq!(written(&[b"\x1b[31mbad"], false), "\\u001b[31mbad");
    }

    #[test]
    fn what_comes_in_pieces_is_read_as_a_whole() {
        let text = "\x1b[31mö\u{202e}\x1b[0m".as_bytes();
        for cut in 0..text.len() {
            let (first, second) = text.split_at(cut);
            assert_eq!(written(&[first, second], true), "\x1b[31mö\\u202e\x1b[0m", "cut at {cut}");
        }
        assert_eq!(written(&[b"a\xffb\xc3"], false), "a\u{fffd}b\u{fffd}");
    }
}
