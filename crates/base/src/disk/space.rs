//! The free space of a disk.

use std::path::Path;

/// The number of bytes that this program may still write to the disk of a file or folder; `None` where it is not known.
#[cfg(unix)]
pub fn free_bytes(at: &Path) -> Option<u64> {
    let disk = rustix::fs::statvfs(at).ok()?;
    disk.f_bavail.checked_mul(disk.f_frsize)
}

/// The number of bytes that this program may still write to the disk of a file or folder; `None` where it is not known.
#[cfg(not(unix))]
pub fn free_bytes(_: &Path) -> Option<u64> {
    None
}
