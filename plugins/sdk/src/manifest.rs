//! The manifest as one block of bytes in the library's file.

use loopctl_plugin_abi::LC_MANIFEST_MAGIC;

const HEAD: usize = LC_MANIFEST_MAGIC.len() + 4;

/// The number of bytes that [`blob`] makes of `json`.
pub const fn blob_len(json: &str) -> usize {
    HEAD + json.len()
}

/// Magic, length, JSON. `N` is [`blob_len`]; the export macros lay it down as a static.
#[expect(
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    reason = "runs when the plugin is compiled, where a wrong index is a compile error"
)]
pub const fn blob<const N: usize>(json: &str) -> [u8; N] {
    assert!(json.len() <= loopctl_plugin_abi::LC_MAX_MANIFEST, "the manifest is longer than 64 KiB");
    let mut bytes = [0; N];
    let mut at = 0;
    while at < LC_MANIFEST_MAGIC.len() {
        bytes[at] = LC_MANIFEST_MAGIC[at];
        at += 1;
    }
    let length = (json.len() as u32).to_le_bytes();
    let mut digit = 0;
    while digit < 4 {
        bytes[at] = length[digit];
        at += 1;
        digit += 1;
    }
    let mut from = 0;
    while from < json.len() {
        bytes[at] = json.as_bytes()[from];
        at += 1;
        from += 1;
    }
    bytes
}
