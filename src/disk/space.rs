//! How much room a disk has.

use std::path::Path;

/// The bytes that this program may still write to the disk of a file or folder; `None` where that can't be told.
#[cfg(unix)]
pub(crate) fn free_bytes(at: &Path) -> Option<u64> {
    let disk = rustix::fs::statvfs(at).ok()?;
    disk.f_bavail.checked_mul(disk.f_frsize)
}

/// The bytes that this program may still write to the disk of a file or folder; `None` where that can't be told.
#[cfg(not(unix))]
pub(crate) fn free_bytes(_: &Path) -> Option<u64> {
    None
}
