//! Loading the library, and what it offers.

use std::mem::{offset_of, size_of};

use loopctl_plugin_sdk::abi::{LC_ABI_MAJOR, LC_ABI_MINOR, LC_ENTRY_SYMBOL, lc_plugin_v1};

use super::check::{CheckFailure, CheckResult, ContractCheck, broken};
use super::subject::PluginUnderTest;
use crate::provider::plugin::OfferedHost;

pub(super) static CHECKS: [ContractCheck; 8] = [
    ContractCheck {
        id: "load.symbol",
        kind: None,
        needs: &["manifest.abi"],
        asks: "the system loads the library, and it exports `loopctl_plugin_v1`",
        help: "build a shared library for this system, and export the one function with C linkage",
        run: |subject| {
            subject.entry()?;
            Ok(format!("it exports `{LC_ENTRY_SYMBOL}`"))
        },
    },
    ContractCheck {
        id: "load.table",
        kind: None,
        needs: &["load.symbol"],
        asks: "offered a host of its own major version, the entry returns its table",
        help: "return the address of a static table; null only refuses a host",
        run: |subject| {
            subject.table().map_err(|_| "it returned no table, which refuses this host".to_owned())?;
            Ok("it returned a table".to_owned())
        },
    },
    ContractCheck {
        id: "load.abi",
        kind: None,
        needs: &["load.table"],
        asks: "the table has the ABI version of the header it was compiled with, and of the manifest",
        help: "let `size` be `sizeof(lc_plugin_v1)`, fill in `LC_ABI_MAJOR` and `LC_ABI_MINOR`, and say the same in the manifest",
        run: abi,
    },
    ContractCheck {
        id: "load.functions",
        kind: None,
        needs: &["load.abi"],
        asks: "the table holds `open`, `close` and what its kind needs: `call`; or `start`, `cancel`, `call_release`",
        help: "fill them in, and let `size` be `sizeof(lc_plugin_v1)`",
        run: functions,
    },
    ContractCheck {
        id: "load.manifest",
        kind: None,
        needs: &["load.abi"],
        asks: "the table's manifest is the same bytes as the one in the file",
        help: "let both be one: `LC_MANIFEST_SLICE_INIT` in the table",
        run: same_manifest,
    },
    ContractCheck {
        id: "load.other_major",
        kind: None,
        needs: &["load.table"],
        asks: "a host of another major version is refused by returning null",
        help: "compare the host's `abi_major` with `LC_ABI_MAJOR` before anything else",
        run: |subject| match subject.entry()?.offer(subject.ledger(), OfferedHost::OtherMajor) {
            None => Ok("refused".to_owned()),
            Some(_) => broken(format!("it accepted a host of ABI {}.0", LC_ABI_MAJOR.saturating_add(1))),
        },
    },
    ContractCheck {
        id: "load.larger_host",
        kind: None,
        needs: &["load.table"],
        asks: "a host of a later minor version, whose table is longer, is accepted",
        help: "look at `abi_major` alone, and take the host's `size` as at least what you know",
        run: |subject| match subject.entry()?.offer(subject.ledger(), OfferedHost::Larger) {
            Some(_) => Ok("accepted".to_owned()),
            None => {
                broken(format!("it refused a host of ABI {LC_ABI_MAJOR}.{}", LC_ABI_MINOR.saturating_add(1)))
            }
        },
    },
    ContractCheck {
        id: "load.repeated",
        kind: None,
        needs: &["load.table"],
        asks: "the entry can be called again and returns the same table",
        help: "let it keep the host and return the static table, and do nothing else",
        run: repeated,
    },
];

fn abi(subject: &PluginUnderTest<'_>) -> CheckResult {
    let table = subject.table()?;
    if table.size() < offset_of!(lc_plugin_v1, manifest) {
        return broken(format!(
            "the table says that it has {} bytes, too few for its versions",
            table.size()
        ));
    }
    let (major, minor) = table.abi();
    if major != LC_ABI_MAJOR {
        return broken(format!(
            "the table is of ABI {major}.{minor}, this loopctl speaks {LC_ABI_MAJOR}.{LC_ABI_MINOR}"
        ));
    }
    let (size, most) = (table.size(), size_of::<lc_plugin_v1>());
    if minor == LC_ABI_MINOR && size > most {
        return broken(format!(
            "the table says that it has {size} bytes, and in ABI {major}.{minor} it has {most}"
        ));
    }
    let manifest = subject.manifest().abi;
    // What is built with a newer header may say that it needs no more than an older one had.
    if manifest.major != major || manifest.minor > minor {
        return broken(format!(
            "the table is of ABI {major}.{minor}, and the manifest says {}.{}",
            manifest.major, manifest.minor
        ));
    }
    Ok(format!("ABI {major}.{minor}"))
}

fn functions(subject: &PluginUnderTest<'_>) -> CheckResult {
    let table = subject.table()?;
    let missing = table.missing(subject.manifest().kind);
    let (size, ours) = (table.size(), size_of::<lc_plugin_v1>());
    let bytes = format!("the table has {size} bytes, where this header's has {ours}");
    if missing.is_empty() {
        return Ok(bytes);
    }
    let missing: Vec<String> = missing.iter().map(|function| format!("`{function}`")).collect();
    broken(format!("it lacks {}; {bytes}", missing.join(", ")))
}

fn same_manifest(subject: &PluginUnderTest<'_>) -> CheckResult {
    let Some(embedded) = subject.table()?.manifest() else {
        return broken("the table points to no manifest, or to one of more than 64 KiB");
    };
    if embedded == subject.file.manifest_json {
        return Ok("the same".to_owned());
    }
    broken(format!(
        "the file's has {} bytes, the table's {}, and they differ",
        subject.file.manifest_json.len(),
        embedded.len()
    ))
}

fn repeated(subject: &PluginUnderTest<'_>) -> CheckResult {
    let first = subject.table()?;
    let times = subject.repeat(20, |_| {
        let again = subject.entry()?.offer(subject.ledger(), OfferedHost::Ours);
        match again {
            Some(again) if again.is_like(first) => Ok(()),
            Some(_) => broken("it returned another table the next time"),
            None => broken::<()>("it refused the same host the next time"),
        }
    });
    let times = times.map_err(|trouble: CheckFailure| trouble)?;
    Ok(format!("called {times} times more"))
}
