//! Frames: messages on a stream, each with the number of its bytes before it.

use std::io::{self, Read, Write};

/// The length of the number before a message, in bytes; the most significant one comes first.
const NUMBER: usize = 8;

/// Reads the next message; `None` at the end of the stream.
///
/// # Errors
/// When the stream fails or ends within a message, or the message has more than `most` bytes.
pub fn read_frame(mut input: impl Read, most: u64) -> io::Result<Option<Vec<u8>>> {
    let mut number = Vec::with_capacity(NUMBER);
    input.by_ref().take(NUMBER as u64).read_to_end(&mut number)?;
    if number.is_empty() {
        return Ok(None);
    }
    let number: [u8; NUMBER] = number.try_into().map_err(|_| io::ErrorKind::UnexpectedEof)?;
    let length = u64::from_be_bytes(number);
    if length > most {
        let message = format!("a message of {length} bytes, more than the {most} that one may have");
        return Err(io::Error::new(io::ErrorKind::InvalidData, message));
    }
    // The memory grows with what comes, whatever length was announced.
    let mut message = Vec::new();
    input.by_ref().take(length).read_to_end(&mut message)?;
    if message.len() as u64 == length { Ok(Some(message)) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
}

/// Writes a message, and flushes the stream.
///
/// # Errors
/// When the stream fails.
pub fn write_frame(output: &mut (impl Write + ?Sized), message: &[u8]) -> io::Result<()> {
    output.write_all(&(message.len() as u64).to_be_bytes())?;
    output.write_all(message)?;
    output.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_come_out_as_they_went_in_and_a_cut_or_long_one_is_an_error() {
        let mut stream = Vec::new();
        for message in [&b"grade 2"[..], b"", b"\n\0"] {
            write_frame(&mut stream, message).unwrap();
        }
        let mut input = &*stream;
        let mut next = || read_frame(&mut input, 7).unwrap();
        assert_eq!(next().as_deref(), Some(&b"grade 2"[..]));
        assert_eq!(next().as_deref(), Some(&b""[..]));
        assert_eq!(next().as_deref(), Some(&b"\n\0"[..]));
        assert_eq!(next(), None);
        let kind = |bytes: &[u8], most| read_frame(&mut &*bytes, most).unwrap_err().kind();
        assert_eq!(kind(&stream, 6), io::ErrorKind::InvalidData);
        for cut in [1, 7, 8, 14] {
            assert_eq!(kind(&stream[..cut], 7), io::ErrorKind::UnexpectedEof, "after {cut} bytes");
        }
        assert_eq!(kind(&[0xFF; 8], u64::MAX - 1), io::ErrorKind::InvalidData);
    }
}
