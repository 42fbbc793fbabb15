//! Checks that a downloaded library is whole, and built for this kind of machine. The system's loader maps what an ELF
//! file's headers promise, and touching what the file then lacks ends the process; for a library of another machine it
//! reports that there is no such file.

/// Returns whether the file ends before what its headers promise; `false` for anything but 64-bit little-endian ELF,
/// which other loaders check themselves.
pub(super) fn cut_short(file: &[u8]) -> bool {
    if !file.starts_with(b"\x7fELF\x02\x01") {
        return false;
    }
    promised_end(file).is_none_or(|end| end > file.len() as u64)
}

/// The machine that the library was built for, if it isn't this one. `None` for machines that it doesn't know.
pub(super) fn other_machine(file: &[u8]) -> Option<&'static str> {
    let built_for = if file.starts_with(b"MZ") {
        "windows"
    } else if [&b"\xcf\xfa\xed\xfe"[..], b"\xca\xfe\xba\xbe"].iter().any(|magic| file.starts_with(magic)) {
        "macos"
    } else if file.starts_with(b"\x7fELF") && file.get(5) == Some(&1) {
        match u16_at(file, 0x12)? {
            3 => "x86",
            40 => "arm",
            62 => "x86_64",
            183 => "aarch64",
            243 => "riscv64",
            _ => return None,
        }
    } else {
        return None;
    };
    let here = [std::env::consts::OS, std::env::consts::ARCH];
    (!here.contains(&built_for)).then_some(built_for)
}

/// The end of the last of the segments and of the table of sections; `None` when the headers themselves are cut.
fn promised_end(file: &[u8]) -> Option<u64> {
    let (segments, sections) = (u64_at(file, 0x20)?, u64_at(file, 0x28)?);
    let (segment_size, segment_count) = (u16_at(file, 0x36)?, u16_at(file, 0x38)?);
    let (section_size, section_count) = (u16_at(file, 0x3a)?, u16_at(file, 0x3c)?);
    let mut end = sections.checked_add(section_size.checked_mul(section_count)?)?;
    for number in 0..segment_count {
        let at = usize::try_from(segments.checked_add(number.checked_mul(segment_size)?)?).ok()?;
        let (offset, size) = (u64_at(file, at.checked_add(0x08)?)?, u64_at(file, at.checked_add(0x20)?)?);
        end = end.max(offset.checked_add(size)?);
    }
    Some(end)
}

fn u64_at(file: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(*file.get(at..)?.first_chunk()?))
}

fn u16_at(file: &[u8], at: usize) -> Option<u64> {
    Some(u16::from_le_bytes(*file.get(at..)?.first_chunk()?).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(all(target_os = "linux", target_pointer_width = "64", target_endian = "little"))]
    #[test]
    fn every_cut_is_noticed() {
        let whole = std::fs::read(std::env::current_exe().unwrap()).unwrap();
        assert!(!cut_short(&whole));
        for part in [1, 2, 3, 10, 1000] {
            assert!(cut_short(&whole[..whole.len() / part - 1]), "1/{part}");
        }
    }

    #[cfg(all(target_os = "linux", target_pointer_width = "64", target_endian = "little"))]
    #[test]
    fn the_machine_is_told() {
        let mut library = std::fs::read(std::env::current_exe().unwrap()).unwrap();
        assert_eq!(other_machine(&library), None);
        library[0x12] = if cfg!(target_arch = "aarch64") { 62 } else { 183 };
        assert_eq!(
            other_machine(&library),
            Some(if cfg!(target_arch = "aarch64") { "x86_64" } else { "aarch64" })
        );
        assert_eq!((other_machine(b"MZ"), other_machine(b"\x7fELF")), (Some("windows"), None));
    }

    #[test]
    fn headers_that_promise_anything_are_no_crash() {
        assert!(cut_short(b"\x7fELF\x02\x01"));
        let mut wild = b"\x7fELF\x02\x01".to_vec();
        wild.extend([0xff; 200]);
        assert!(cut_short(&wild));
        assert!(!cut_short(b"text"));
    }
}
