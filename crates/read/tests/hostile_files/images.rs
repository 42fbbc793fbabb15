//! Images that are small and would be long to read.

use super::pdf_writer::deflated_often;

fn png(width: u32, height: u32, chunks: &[(&[u8; 4], Vec<u8>)]) -> Vec<u8> {
    let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
    let mut header = [width.to_be_bytes(), height.to_be_bytes()].concat();
    header.extend([8, 0, 0, 0, 0]);
    let mut write = |kind: &[u8; 4], data: &[u8]| {
        file.extend(u32::try_from(data.len()).unwrap_or(0).to_be_bytes());
        file.extend(kind);
        file.extend(data);
        let mut sum = flate2::Crc::new();
        sum.update(kind);
        sum.update(data);
        file.extend(sum.sum().to_be_bytes());
    };
    write(b"IHDR", &header);
    for (kind, data) in chunks {
        write(kind, data);
    }
    write(b"IEND", &[]);
    file
}

fn bomb(kind: &[u8], byte: u8) -> Vec<u8> {
    let mut data = kind.to_vec();
    data.extend(deflated_often(&[byte; 1 << 20], 4_000));
    data
}

pub(crate) fn png_of_inflating_texts() -> Vec<u8> {
    let rows = deflated_often(&[0; 101], 100);
    png(
        100,
        100,
        &[
            (b"zTXt", bomb(b"Title\0\0", b'x')),
            (b"iTXt", bomb(b"Title\0\x01\0\0\0", b'x')),
            (b"iCCP", bomb(b"p\0\0", 0)),
            (b"IDAT", rows),
        ],
    )
}

pub(crate) fn png_of_too_many_pixels() -> Vec<u8> {
    png(50_000, 50_000, &[(b"IDAT", deflated_often(&[0; 1], 1))])
}

pub(crate) fn png_of_many_chunks() -> Vec<u8> {
    let mut chunks = vec![(b"tEXt", b"Title\0x".to_vec()); 50_000];
    chunks.push((b"IDAT", deflated_often(&[0; 101], 100)));
    png(100, 100, &chunks)
}

pub(crate) fn gif_of_many_frames() -> Vec<u8> {
    let mut file = b"GIF89a\x02\0\x02\0\x80\0\0\0\0\0\xff\xff\xff".to_vec();
    for _ in 0..100_000 {
        file.extend(b"\x2c\0\0\0\0\x02\0\x02\0\0\x02\x02\x84\x51\0");
    }
    file.push(0x3b);
    file
}

/// A TIFF file with directories of one entry, each at the offset that is given and with the offset of the next.
fn tiff(directories: usize, next: impl Fn(usize) -> u32, tail: usize) -> Vec<u8> {
    let mut file = b"II*\0\x08\0\0\0".to_vec();
    for at in 0..directories {
        let entries: [(u16, u16, u32, u32); 8] = [
            (256, 4, 1, 2),
            (257, 4, 1, 2),
            (258, 3, 1, 8),
            (259, 3, 1, 1),
            (262, 3, 1, 1),
            (273, 4, 1, 8),
            (278, 4, 1, 2),
            (279, 4, 1, 4),
        ];
        file.extend(8_u16.to_le_bytes());
        for (tag, kind, count, value) in entries {
            file.extend(tag.to_le_bytes());
            file.extend(kind.to_le_bytes());
            file.extend(count.to_le_bytes());
            file.extend(value.to_le_bytes());
        }
        file.extend(next(at).to_le_bytes());
    }
    file.extend(std::iter::repeat_n(0, tail));
    file
}

/// The length of such a directory.
const DIRECTORY: usize = 102;

fn place(directory: usize) -> u32 {
    u32::try_from(8 + directory * DIRECTORY).unwrap_or(0)
}

pub(crate) fn tiff_whose_pages_are_a_circle() -> Vec<u8> {
    tiff(3, |at| place((at + 1) % 3), 0)
}

pub(crate) fn tiff_of_many_pages_in_a_long_file() -> Vec<u8> {
    tiff(5_000, |at| if at == 4_999 { 0 } else { place(at + 1) }, 20 << 20)
}

pub(crate) fn webp_of_false_lengths() -> Vec<u8> {
    let mut file = b"RIFF\xff\xff\xff\xffWEBPVP8X\x0a\0\0\0\x02\0\0\0\xff\xff\xff\xff\xff\xff".to_vec();
    file.extend(b"ANIM\xff\xff\xff\xff");
    file
}

pub(crate) fn jpeg_of_many_scans() -> Vec<u8> {
    let mut file = vec![0xff, 0xd8, 0xff, 0xc2, 0, 11, 8, 0x1f, 0xff, 0x1f, 0xff, 1, 1, 0x11, 0];
    // A table of one code, of one bit.
    file.extend([0xff, 0xc4, 0, 20, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    file.extend([0xff, 0xdb, 0, 67, 0]);
    file.extend([1; 64]);
    for _ in 0..5_000 {
        file.extend([0xff, 0xda, 0, 8, 1, 1, 0, 0, 0, 0x10]);
    }
    file.extend([0xff, 0xd9]);
    file
}
