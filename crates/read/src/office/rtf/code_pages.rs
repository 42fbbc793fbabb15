//! Code pages of RTF files: the characters of their bytes.

use encoding_rs::Encoding;

/// The code page of this number; `None` if its characters are not known here.
pub(super) fn code_page(number: i32) -> Option<&'static Encoding> {
    let label: &[u8] = match number {
        866 => b"ibm866",
        874 => b"windows-874",
        932 => b"shift_jis",
        936 => b"gbk",
        949 => b"euc-kr",
        950 => b"big5",
        1250 => b"windows-1250",
        1251 => b"windows-1251",
        1252 => b"windows-1252",
        1253 => b"windows-1253",
        1254 => b"windows-1254",
        1255 => b"windows-1255",
        1256 => b"windows-1256",
        1257 => b"windows-1257",
        1258 => b"windows-1258",
        10_000 => b"macintosh",
        65_001 => b"utf-8",
        _ => return None,
    };
    Encoding::for_label(label)
}

/// The code page of a font with this set of characters; `None` for that of the document.
pub(super) fn of_charset(charset: i32) -> Option<i32> {
    Some(match charset {
        77 => 10_000,
        128 => 932,
        129 => 949,
        134 => 936,
        136 => 950,
        161 => 1253,
        162 => 1254,
        163 => 1258,
        177 => 1255,
        178 => 1256,
        186 => 1257,
        204 => 1251,
        222 => 874,
        238 => 1250,
        _ => return None,
    })
}
