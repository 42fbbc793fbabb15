//! Loads the bytes that were checked, and copies the plugin's table with what it may lack as null.
#![expect(unsafe_code, reason = "loads foreign code and reads its table")]

use std::collections::HashMap;
use std::mem::{MaybeUninit, align_of, offset_of, size_of};
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::Duration;

use loopctl_plugin_sdk::abi::{
    LC_ABI_MAJOR, LC_ENTRY_SYMBOL, LC_MAX_MANIFEST, lc_entry_v1, lc_host_v1, lc_plugin_v1,
};
use loopctl_plugin_sdk::protocol::{Manifest, PluginKind};

use super::copy::CopyLocation;
use super::{bounded, ending, host::PluginHost};
use crate::inspect::{self, PluginFile, host_abi};
use crate::value::ShownPath;
use crate::{ProviderError, elf};

/// Replaces the path of a plugin that is part of the program.
pub(crate) const LINKED: &str = "(linked)";

const LOAD_LIMIT: Duration = Duration::from_secs(10);

/// A plugin's table, checked for what its kind needs. Stays until the process ends.
pub(crate) struct Library {
    pub(super) table: lc_plugin_v1,
    pub(super) host: &'static PluginHost,
}

// SAFETY: the contract has the table's functions called from any thread, and what it points to never changes.
unsafe impl Send for Library {}
// SAFETY: as above.
unsafe impl Sync for Library {}

/// The loaded libraries, by a digest that identifies the code. The same bytes are loaded once.
static LOADED: LazyLock<Mutex<HashMap<String, Arc<Library>>>> = LazyLock::new(Mutex::default);

/// The host of all plugins that are linked into this program. They share the SDK's code, and with it the host that
/// asked last, so it must be the same one.
static LINKED_HOST: LazyLock<Offered> = LazyLock::new(|| {
    let (host, table) = PluginHost::leak();
    Offered { host, table }
});

/// A host and the table that it gives to plugins.
struct Offered {
    host: &'static PluginHost,
    table: &'static lc_host_v1,
}

// SAFETY: neither ever changes, and what the table's pointer leads to is `host`, which any thread may use.
unsafe impl Send for Offered {}
// SAFETY: as above.
unsafe impl Sync for Offered {}

impl Library {
    /// Loads a file whose bytes have been found trustworthy.
    pub(crate) fn load(file: PluginFile) -> Result<Arc<Self>, ProviderError> {
        let key = file.digest.clone();
        if let Some(library) = cached(&key) {
            return Ok(library);
        }
        let path = file.path.clone();
        // Constructors and the entry are foreign code already: they don't get to hang the caller.
        ending::runs_foreign_code();
        let library = bounded(LOAD_LIMIT, move || {
            let entry = open_copy(&file)?;
            Self::from_entry(&file.path, entry, &file.manifest, Some(&file.manifest_json))
        })
        .map_err(|problem| ProviderError::Load { path, problem })??;
        Ok(keep(key, library))
    }

    /// Takes in a plugin that is linked into this program the same way, with the manifest of its table.
    pub(crate) fn linked(entry: lc_entry_v1) -> Result<(Arc<Self>, Manifest, Vec<u8>), ProviderError> {
        let path = PathBuf::from(LINKED);
        let key = format!("linked {:p}", entry as *const ());
        // Held throughout, so that each is asked once.
        let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
        let (table, host) = match loaded.get(&key) {
            Some(library) => (library.table, library.host),
            None => {
                let Offered { host, table: offered } = *LINKED_HOST;
                // SAFETY: an entry as the contract has it; the host's table is never freed.
                (unsafe { copy_table(&path, entry(offered)) }?, host)
            }
        };
        // SAFETY: the table's manifest is static, as the contract has it.
        let json = unsafe { manifest_bytes(&table) }.unwrap_or_default();
        let manifest = inspect::parse(&json)
            .map_err(|problem| ProviderError::BadManifest { path: path.clone(), problem })?;
        check_functions(&path, &table, manifest.kind)?;
        host.name(&manifest.name);
        let library = loaded.entry(key).or_insert_with(|| Arc::new(Self { table, host }));
        Ok((Arc::clone(library), manifest, json))
    }

    fn from_entry(
        path: &Path,
        entry: lc_entry_v1,
        manifest: &Manifest,
        expected: Option<&[u8]>,
    ) -> Result<Self, ProviderError> {
        let (host, offered) = PluginHost::leak();
        host.name(&manifest.name);
        // SAFETY: the symbol has this type by its name; the host's table is never freed.
        let table = unsafe { copy_table(path, entry(offered)) }?;
        // SAFETY: the table's manifest is static, as the contract has it.
        let embedded = unsafe { manifest_bytes(&table) };
        if embedded.as_deref() != expected {
            return Err(ProviderError::ManifestMismatch { path: path.to_owned() });
        }
        check_functions(path, &table, manifest.kind)?;
        Ok(Self { table, host })
    }

    /// The number of answers that had no waiter: late, second or forged ones.
    pub(crate) fn dropped_answers(&self) -> u64 {
        self.host.dropped()
    }
}

fn cached(key: &str) -> Option<Arc<Library>> {
    LOADED.lock().unwrap_or_else(PoisonError::into_inner).get(key).cloned()
}

/// The first to have loaded it wins; another copy stays unused.
fn keep(key: String, library: Library) -> Arc<Library> {
    Arc::clone(
        LOADED.lock().unwrap_or_else(PoisonError::into_inner).entry(key).or_insert_with(|| Arc::new(library)),
    )
}

/// Holds the checked bytes where no one else can change them, and loads those. A file that has the plugin's name now
/// doesn't matter.
pub(super) fn open_copy(file: &PluginFile) -> Result<lc_entry_v1, ProviderError> {
    let failed = |problem: String| ProviderError::Load { path: file.path.clone(), problem };
    if let Some(machine) = elf::other_machine(&file.bytes) {
        let (system, own) = (std::env::consts::OS, std::env::consts::ARCH);
        return Err(failed(format!("it was built for {machine}, and this is {own} ({system})")));
    }
    let library = open_bytes(&file.bytes).map_err(failed)?;
    // SAFETY: the symbol has this type by the contract: the major version is in its name.
    let entry = match unsafe { library.get::<lc_entry_v1>(LC_ENTRY_SYMBOL) } {
        Ok(symbol) => *symbol,
        Err(_) => {
            return Err(ProviderError::NotAPlugin {
                path: file.path.clone(),
                problem: format!("it doesn't export `{LC_ENTRY_SYMBOL}`"),
            });
        }
    };
    // Never unloaded: threads, statics and buffers of the plugin may outlive every call.
    std::mem::forget(library);
    Ok(entry)
}

/// Loads a library from the first location from which the system runs it. One that can't be loaded from anywhere has
/// been tried everywhere, which does no harm: its constructors run when all else has been found in order.
fn open_bytes(bytes: &[u8]) -> Result<libloading::Library, String> {
    let mut problems: Vec<String> = Vec::new();
    for place in CopyLocation::all() {
        let opened = place.hold(bytes).map_err(|error| error.to_string()).and_then(|copy| {
            // SAFETY: running its constructors is what loading a plugin means; it has been found trustworthy.
            let library =
                unsafe { open_library(copy.path()) }.map_err(|error| describe(&error, copy.path()))?;
            copy.keep_loaded();
            Ok(library)
        });
        match opened {
            Ok(library) => return Ok(library),
            Err(problem) if problems.contains(&problem) => {}
            Err(problem) => problems.push(problem),
        }
    }
    Err(problems.join("; "))
}

/// Describes an error without the path of the copy, which means nothing to users.
fn describe(error: &libloading::Error, copy: &Path) -> String {
    use std::error::Error;
    let text = error.source().map_or_else(|| error.to_string(), ToString::to_string);
    let text = text.replace(&format!("{}: ", copy.shown()), "");
    crate::error::sanitize_message(&text)
}

#[cfg(unix)]
unsafe fn open_library(path: &Path) -> Result<libloading::Library, libloading::Error> {
    use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};
    // A missing dependency is an error here, not a crash in the middle of a call.
    // SAFETY: as the caller has it.
    unsafe { Library::open(Some(path), RTLD_NOW | RTLD_LOCAL) }.map(Into::into)
}

#[cfg(not(unix))]
unsafe fn open_library(path: &Path) -> Result<libloading::Library, libloading::Error> {
    // SAFETY: as the caller has it.
    unsafe { libloading::Library::new(path) }
}

/// Copies as much of the table as there is; the rest is zero, which means absent.
///
/// # Safety
/// `offered` is null or points to a table that begins with its size and is that large.
unsafe fn copy_table(path: &Path, offered: *const lc_plugin_v1) -> Result<lc_plugin_v1, ProviderError> {
    // SAFETY: as the caller has it.
    let Some(table) = (unsafe { copy_raw(offered) }) else {
        return Err(ProviderError::Refused { path: path.to_owned(), host: host_abi() });
    };
    if table.size >= offset_of!(lc_plugin_v1, manifest) && table.abi_major != LC_ABI_MAJOR {
        return Err(ProviderError::AbiMismatch {
            path: path.to_owned(),
            host: host_abi(),
            plugin: format!("{}.{}", table.abi_major, table.abi_minor),
        });
    }
    if table.size < offset_of!(lc_plugin_v1, open) {
        return Err(ProviderError::NotAPlugin {
            path: path.to_owned(),
            problem: format!("its table says that it has {} bytes, too few for a manifest", table.size),
        });
    }
    Ok(table)
}

/// Like [`copy_table`], for a table of any ABI; `None` for one that isn't there.
///
/// # Safety
/// `offered` is null or points to a table that begins with its size and is that large.
pub(super) unsafe fn copy_raw(offered: *const lc_plugin_v1) -> Option<lc_plugin_v1> {
    if offered.is_null() || !offered.is_aligned() {
        return None;
    }
    let mut copy = MaybeUninit::<lc_plugin_v1>::zeroed();
    // SAFETY: every table begins with its size and has that many bytes; ours has room for as many as are written.
    // All-zero bytes are a valid table.
    Some(unsafe {
        // Whole words only: half a pointer is not a function.
        let size = (*offered).size.min(size_of::<lc_plugin_v1>()) & !(align_of::<lc_plugin_v1>() - 1);
        std::ptr::copy_nonoverlapping(offered.cast::<u8>(), copy.as_mut_ptr().cast::<u8>(), size);
        copy.assume_init()
    })
}

/// # Safety
/// The table is one that a plugin offered.
pub(super) unsafe fn manifest_bytes(table: &lc_plugin_v1) -> Option<Vec<u8>> {
    let slice = table.manifest;
    if slice.ptr.is_null() || slice.len > LC_MAX_MANIFEST {
        return None;
    }
    // SAFETY: not null, and static by the contract.
    Some(unsafe { std::slice::from_raw_parts(slice.ptr, slice.len) }.to_vec())
}

fn check_functions(path: &Path, table: &lc_plugin_v1, kind: PluginKind) -> Result<(), ProviderError> {
    let kind_name = match kind {
        PluginKind::Http => "http",
        PluginKind::Direct => "direct",
    };
    match missing_functions(table, kind).first() {
        None => Ok(()),
        Some(function) => {
            Err(ProviderError::MissingFunction { path: path.to_owned(), function, kind: kind_name })
        }
    }
}

/// The functions that a plugin of this kind must have and this one lacks, in the order of the header.
pub(super) fn missing_functions(table: &lc_plugin_v1, kind: PluginKind) -> Vec<&'static str> {
    let (http, direct) = (kind == PluginKind::Http, kind == PluginKind::Direct);
    [
        ("open", true, table.open.is_some()),
        ("call", http, table.call.is_some()),
        ("start", direct, table.start.is_some()),
        ("cancel", direct, table.cancel.is_some()),
        ("call_release", direct, table.call_release.is_some()),
        ("close", true, table.close.is_some()),
    ]
    .into_iter()
    .filter(|(_, needed, there)| *needed && !there)
    .map(|(function, ..)| function)
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    unsafe extern "C" fn open(
        _: loopctl_plugin_sdk::abi::lc_slice,
        _: *mut *mut std::ffi::c_void,
        _: *mut loopctl_plugin_sdk::abi::lc_buf,
    ) -> i32 {
        0
    }

    #[test]
    fn a_function_that_is_only_partly_in_the_table_is_absent() {
        let whole = offset_of!(lc_plugin_v1, open) + size_of::<usize>();
        for (size, there) in
            [(0, false), (whole - 1, false), (whole - 4, false), (whole, true), (usize::MAX, true)]
        {
            let table = lc_plugin_v1 {
                size,
                abi_major: LC_ABI_MAJOR,
                abi_minor: 0,
                manifest: loopctl_plugin_sdk::abi::lc_slice { ptr: std::ptr::null(), len: 0 },
                open: Some(open),
                call: None,
                start: None,
                cancel: None,
                call_release: None,
                close: None,
            };
            // SAFETY: a table as large as the largest that is read.
            let copy = unsafe { copy_raw(&raw const table) }.unwrap();
            assert_eq!(copy.open.is_some(), there, "{size}");
        }
    }
}
