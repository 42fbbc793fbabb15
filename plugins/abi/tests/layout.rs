//! The layout of every struct, and the C header that says the same.
#[cfg(test)]
mod header;

use std::mem::{offset_of, size_of};
use std::path::{Path, PathBuf};
use std::process::Command;

use loopctl_plugin_abi::*;

/// Sizes and offsets as on every 64-bit platform. A change here breaks every plugin out there.
#[cfg(target_pointer_width = "64")]
#[test]
fn layout_is_pinned() {
    assert_eq!(size_of::<lc_slice>(), 16);
    assert_eq!([offset_of!(lc_slice, ptr), offset_of!(lc_slice, len)], [0, 8]);
    assert_eq!(size_of::<lc_buf>(), 32);
    assert_eq!(
        [offset_of!(lc_buf, ptr), offset_of!(lc_buf, len), offset_of!(lc_buf, cap), offset_of!(lc_buf, drop)],
        [0, 8, 16, 24]
    );
    assert_eq!(size_of::<lc_host_v1>(), 40);
    assert_eq!([offset_of!(lc_host_v1, size), offset_of!(lc_host_v1, abi_major)], [0, 8]);
    assert_eq!([offset_of!(lc_host_v1, abi_minor), offset_of!(lc_host_v1, ctx)], [12, 16]);
    assert_eq!([offset_of!(lc_host_v1, complete), offset_of!(lc_host_v1, log)], [24, 32]);
    assert_eq!(size_of::<lc_plugin_v1>(), 80);
    assert_eq!([offset_of!(lc_plugin_v1, size), offset_of!(lc_plugin_v1, abi_major)], [0, 8]);
    assert_eq!([offset_of!(lc_plugin_v1, abi_minor), offset_of!(lc_plugin_v1, manifest)], [12, 16]);
    assert_eq!([offset_of!(lc_plugin_v1, open), offset_of!(lc_plugin_v1, call)], [32, 40]);
    assert_eq!([offset_of!(lc_plugin_v1, start), offset_of!(lc_plugin_v1, cancel)], [48, 56]);
    assert_eq!([offset_of!(lc_plugin_v1, call_release), offset_of!(lc_plugin_v1, close)], [64, 72]);
}

fn header_path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("include/loopctl_plugin.h")
}

#[test]
fn header_is_fresh() {
    let fresh = header::render(include_str!("../src/lib.rs"));
    if std::env::var_os("LOOPCTL_UPDATE").is_some() {
        std::fs::write(header_path(), &fresh).unwrap();
    }
    let checked_in = std::fs::read_to_string(header_path()).unwrap_or_default();
    assert!(
        checked_in == fresh,
        "include/loopctl_plugin.h is stale: run `LOOPCTL_UPDATE=1 cargo test -p loopctl-plugin-abi`"
    );
}

/// Compiles the header with assertions on every size, offset and constant as Rust has them.
#[test]
fn c_compiler_agrees() {
    use std::fmt::Write;
    let mut source = String::from("#include <stddef.h>\n#include \"loopctl_plugin.h\"\n");
    macro_rules! layout {
        ($($name:ident { $($field:ident),* })*) => {$(
            writeln!(source, "_Static_assert(sizeof({0}) == {1}, \"size of {0}\");", stringify!($name), size_of::<$name>()).unwrap();
            $(writeln!(
                source, "_Static_assert(offsetof({0}, {1}) == {2}, \"{0}.{1}\");",
                stringify!($name), stringify!($field), offset_of!($name, $field)
            ).unwrap();)*
        )*};
    }
    layout! {
        lc_slice { ptr, len }
        lc_buf { ptr, len, cap, drop }
        lc_host_v1 { size, abi_major, abi_minor, ctx, complete, log }
        lc_plugin_v1 { size, abi_major, abi_minor, manifest, open, call, start, cancel, call_release, close }
    }
    macro_rules! constants {
        ($($name:ident)*) => {$(
            writeln!(source, "_Static_assert({0} == {1}, \"{0}\");", stringify!($name), $name).unwrap();
        )*};
    }
    constants! {
        LC_ABI_MAJOR LC_ABI_MINOR LC_MAX_INPUT LC_MAX_OUTPUT LC_MAX_MANIFEST
        LC_OK LC_INVALID_CONFIG LC_INVALID_REQUEST LC_TRANSIENT LC_RATE_LIMITED LC_UNAUTHORIZED LC_PERMANENT
        LC_CANCELLED LC_PANIC LC_ABI_MISMATCH LC_FIRST_CUSTOM LC_ENCODE LC_DECODE LC_BATCH
        LC_LOG_ERROR LC_LOG_WARN LC_LOG_INFO LC_LOG_DEBUG
    }
    source.push_str(
        "LC_MANIFEST(\"{}\");\n_Static_assert(sizeof(lc_manifest_blob) == 16 + 4 + 3, \"blob\");\n",
    );
    source.push_str("lc_slice manifest(void) { return LC_MANIFEST_SLICE; }\n");

    let dir = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let file = dir.join("layout.c");
    std::fs::write(&file, source).unwrap();
    let out = Command::new(std::env::var("CC").unwrap_or_else(|_| "cc".into()))
        .args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-c", "-o"])
        .arg(dir.join("layout.o"))
        .arg("-I")
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("include"))
        .arg(&file)
        .output()
        .unwrap();
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
}
