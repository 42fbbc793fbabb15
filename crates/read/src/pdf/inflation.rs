//! Sizes of streams before they are decoded: a few kilobytes may inflate to any number of gigabytes.

use flate2::read::{DeflateDecoder, ZlibDecoder};
use hayro_interpret::hayro_syntax::Filter;
use hayro_interpret::hayro_syntax::object::{Dict, Stream};
use std::io::{self, Read};

/// The most by which deflating makes data smaller.
const MOST_DEFLATED: u64 = 1_032;
/// The codes of LZW that are no bytes: one that begins anew, one that ends.
const CLEAR: usize = 256;
const END: usize = 257;
/// The most codes of LZW.
const MOST_CODES: usize = 4_096;

/// The number of bytes to which the data of a stream inflate; `None` if they are more than `most`. What comes before
/// other filters than these is not looked into: they make no more than a multiple of it.
pub(super) fn inflated_size(stream: &Stream<'_>, most: u64) -> Option<u64> {
    let filters = stream.filters();
    let mut data = stream.raw_data();
    let mut size = length(&data);
    for (at, filter) in filters.iter().enumerate() {
        let is_last = at + 1 == filters.len();
        match filter {
            Filter::Crypt => {}
            Filter::FlateDecode if is_last && size.saturating_mul(MOST_DEFLATED) <= most => {
                return Some(size.saturating_mul(MOST_DEFLATED));
            }
            Filter::FlateDecode if is_last => return flate_size(&data, most),
            Filter::FlateDecode => {
                data = inflated(&data, most)?.into();
                size = length(&data);
            }
            Filter::LzwDecode => return lzw_size(&data, is_early(stream.dict()), most),
            Filter::AsciiHexDecode
            | Filter::Ascii85Decode
            | Filter::RunLengthDecode
            | Filter::CcittFaxDecode
            | Filter::Jbig2Decode
            | Filter::DctDecode
            | Filter::JpxDecode => return Some(size),
        }
    }
    (size <= most).then_some(size)
}

fn length(data: &[u8]) -> u64 {
    u64::try_from(data.len()).unwrap_or(u64::MAX)
}

/// The number of bytes to which deflated data inflate, as far as they are whole; `None` if they are more than `most`.
pub(super) fn flate_size(data: &[u8], most: u64) -> Option<u64> {
    let counted = |mut decoder: &mut dyn Read| {
        let mut size = 0;
        let mut part = [0; 1 << 14];
        // What follows a fault is not decoded by any reader.
        while let Ok(read @ 1..) = (&mut decoder).read(&mut part) {
            size += u64::try_from(read).unwrap_or(u64::MAX);
            if size > most {
                return None;
            }
        }
        Some(size)
    };
    let with_header = counted(&mut ZlibDecoder::new(data))?;
    if with_header > 0 { Some(with_header) } else { counted(&mut DeflateDecoder::new(data)) }
}

/// Inflated data, as far as they are whole; `None` if they are more than `most`.
fn inflated(data: &[u8], most: u64) -> Option<Vec<u8>> {
    let whole = |decoder: &mut dyn Read| {
        let mut inflated = Vec::new();
        // What follows a fault is not decoded by any reader.
        let _: io::Result<usize> = decoder.take(most.saturating_add(1)).read_to_end(&mut inflated);
        inflated
    };
    let mut inflated = whole(&mut ZlibDecoder::new(data));
    if inflated.is_empty() {
        inflated = whole(&mut DeflateDecoder::new(data));
    }
    (length(&inflated) <= most).then_some(inflated)
}

/// Returns whether the codes of LZW become longer one code early, as they do unless the stream says otherwise.
fn is_early(stream: &Dict<'_>) -> bool {
    let own = stream.get::<Dict<'_>>(b"DecodeParms").or_else(|| stream.get::<Dict<'_>>(b"DP"));
    own.and_then(|own| own.get::<i32>(b"EarlyChange")) != Some(0)
}

/// The number of bytes that codes of LZW stand for; `None` if they are more than `most`.
fn lzw_size(data: &[u8], is_early: bool, most: u64) -> Option<u64> {
    let early = usize::from(is_early);
    let mut lengths: Vec<u64> = vec![1; END + 1];
    let (mut size, mut last) = (0_u64, None);
    let (mut held, mut bits) = (0_u32, 0_u32);
    let mut bytes = data.iter();
    loop {
        let width = match lengths.len() + usize::from(last.is_some()) + early {
            0..=511 => 9,
            512..=1_023 => 10,
            1_024..=2_047 => 11,
            _ => 12,
        };
        while bits < width {
            let Some(byte) = bytes.next() else { return Some(size) };
            held = held << 8 | u32::from(*byte);
            bits += 8;
        }
        bits -= width;
        let code = usize::try_from(held >> bits & ((1 << width) - 1)).unwrap_or(END);
        held &= (1 << bits) - 1;
        if code == END {
            return Some(size);
        }
        if code == CLEAR {
            lengths.truncate(END + 1);
            last = None;
            continue;
        }
        if let Some(last) = last
            && lengths.len() < MOST_CODES
        {
            lengths.push(last + 1);
        }
        let Some(own) = lengths.get(code).copied() else { return Some(size) };
        size += own;
        if size > most {
            return None;
        }
        last = Some(own);
    }
}
