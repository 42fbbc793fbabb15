//! Positions in a text: bytes as characters, and as lines.

use super::issue::SourceSpan;
use std::ops::Range;
use std::sync::OnceLock;

/// Bytes between two stored counts of characters.
const BLOCK: usize = 128;

/// The positions of one text, counted when they are first asked for.
#[derive(Debug, Default)]
pub(super) struct Positions {
    /// The number of characters that start before each block of bytes; none where each byte is one.
    chars: OnceLock<Vec<u32>>,
    /// The bytes at which lines end.
    ends: OnceLock<Vec<u32>>,
}

impl Positions {
    /// The characters (Unicode scalar values) of a range of bytes.
    pub(super) fn span(&self, bytes: &Range<usize>, text: &str) -> SourceSpan {
        let chars = self.chars(text);
        if chars.is_empty() {
            let end = text.len();
            return SourceSpan { start: bytes.start.min(end), end: bytes.end.min(end) };
        }
        let at = |byte: usize| {
            let block = (byte / BLOCK).min(chars.len() - 1);
            let before = chars.get(block).map_or(0, |count| *count as usize);
            before + text.as_bytes().get(block * BLOCK..byte).map_or(0, starts)
        };
        SourceSpan { start: at(bytes.start), end: at(bytes.end) }
    }

    /// The bytes of a range of characters.
    pub(super) fn bytes(&self, span: SourceSpan, text: &str) -> Range<usize> {
        let chars = self.chars(text);
        if chars.is_empty() {
            let end = text.len();
            return span.start.min(end)..span.end.min(end);
        }
        let at = |char: usize| {
            let block = chars.partition_point(|before| (*before as usize) <= char).saturating_sub(1);
            let from = block * BLOCK;
            let before = chars.get(block).map_or(0, |before| *before as usize);
            let rest = text.as_bytes().get(from..).unwrap_or_default();
            let starts = rest.iter().enumerate().filter(|(_, byte)| is_start(**byte));
            starts.map(|(at, _)| from + at).nth(char.saturating_sub(before)).unwrap_or(text.len())
        };
        at(span.start)..at(span.end)
    }

    /// The number of the line that holds a byte, from 1.
    pub(super) fn line(&self, byte: usize, text: &str) -> usize {
        let ends = self.ends.get_or_init(|| {
            text.match_indices('\n').map(|(end, _)| u32::try_from(end).unwrap_or(u32::MAX)).collect()
        });
        ends.partition_point(|end| (*end as usize) < byte) + 1
    }

    fn chars(&self, text: &str) -> &[u32] {
        self.chars.get_or_init(|| {
            let blocks = if text.is_ascii() { &[] } else { text.as_bytes() };
            let counts = blocks.chunks(BLOCK).scan(0_u32, |before, block| {
                let start = *before;
                *before = before.saturating_add(u32::try_from(starts(block)).unwrap_or(u32::MAX));
                Some(start)
            });
            counts.collect()
        })
    }
}

/// Counts the characters that start in some bytes.
fn starts(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| is_start(**byte)).count()
}

/// Returns whether a character starts with a byte.
fn is_start(byte: u8) -> bool {
    (byte & 0xc0) != 0x80
}
