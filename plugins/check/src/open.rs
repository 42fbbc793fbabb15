//! Opening and closing instances, with good configurations and bad ones.

use loopctl_plugin_sdk::abi::LC_INVALID_CONFIG;
use serde_json::{Value, json};

use super::check::{CheckFailure, CheckResult, ContractCheck, broken};
use super::subject::PluginUnderTest;
use super::verdict;
use crate::provider::plugin::OpenOutcome;
use crate::provider::registry::check_config;

const SAY_WHY: &str =
    "return INVALID_CONFIG and put `{\"message\": …}` into `err`: which key, and what to write instead";

pub(super) static CHECKS: [ContractCheck; 6] = [
    ContractCheck {
        id: "open.opens",
        kind: None,
        needs: &["load.functions", "manifest.config"],
        asks: "`open` makes an instance of a configuration that `config_schema` accepts",
        help: "see what it says; `--config KEY=VALUE` gives it what it needs",
        run: |subject| {
            subject.open()?.close();
            Ok("opened and closed".to_owned())
        },
    },
    ContractCheck {
        id: "open.bad_json",
        kind: None,
        needs: &["open.opens"],
        asks: "a configuration that isn't JSON is INVALID_CONFIG with an error that says why",
        help: SAY_WHY,
        run: bad_json,
    },
    ContractCheck {
        id: "open.wrong_types",
        kind: None,
        needs: &["open.opens"],
        asks: "a configuration of wrong types is refused by the schema, or by `open` as INVALID_CONFIG",
        help: SAY_WHY,
        run: wrong_types,
    },
    ContractCheck {
        id: "open.empty",
        kind: None,
        needs: &["open.opens"],
        asks: "an empty configuration is enough, or is INVALID_CONFIG with an error that says why",
        help: SAY_WHY,
        run: empty,
    },
    ContractCheck {
        id: "open.repeated",
        kind: None,
        needs: &["open.opens"],
        asks: "instances can be opened and closed any number of times",
        help: "free in `close` what `open` made, and keep no count",
        run: |subject| {
            let times = subject.repeat(100, |_| subject.open().map(|opened| opened.close()))?;
            Ok(format!("opened and closed {times} times"))
        },
    },
    ContractCheck {
        id: "open.several",
        kind: None,
        needs: &["open.opens"],
        asks: "several instances are open at once and are closed in any order",
        help: "keep an instance's state in the instance, not in statics",
        run: several,
    },
];

fn bad_json(subject: &PluginUnderTest<'_>) -> CheckResult {
    let mut ignored = 0;
    let bad: [(&str, &[u8]); 3] = [
        ("text that isn't JSON", b"not json"),
        ("JSON that is cut short", b"{\"file\": \"ans"),
        ("bytes that aren't UTF-8", b"\xff\xfe\x80"),
    ];
    for (what, config) in bad {
        if !refused(subject, config, &format!("opening with {what}"))? {
            ignored += 1;
            if subject.manifest().config_schema.is_some() {
                return broken(format!("it opened with {what} for a configuration"));
            }
        }
    }
    Ok(if ignored > 0 { "it takes no configuration, and ignores what it is given" } else { "refused" }
        .to_owned())
}

fn wrong_types(subject: &PluginUnderTest<'_>) -> CheckResult {
    let mut tried: Vec<(String, Value)> = [json!([]), json!(7), json!("text"), json!(null), json!(true)]
        .into_iter()
        .map(|config| (format!("`{config}`"), config))
        .collect();
    let schema = subject.manifest().config_schema.as_ref();
    let keys = schema.and_then(|schema| schema.get("properties")).and_then(Value::as_object);
    for key in keys.into_iter().flat_map(|keys| keys.keys()) {
        for wrong in [json!(7), json!({"a": []}), json!([[]]), json!(null)] {
            let mut config = subject.config.clone();
            let what = format!("`{wrong}` for `{key}`");
            if let Some(fields) = config.as_object_mut() {
                fields.insert(key.clone(), wrong);
            }
            tried.push((what, config));
        }
    }
    let (mut by_schema, mut by_open, mut accepted) = (0, 0, 0);
    for (what, config) in &tried {
        let schema_refuses = check_config(subject.manifest(), config).is_err();
        // Tried even if the schema would keep it from the plugin: it must not crash.
        let open_refuses = refused(subject, config.to_string().as_bytes(), &format!("opening with {what}"))?;
        match (schema_refuses, open_refuses) {
            (true, _) => by_schema += 1,
            (false, true) => by_open += 1,
            (false, false) => accepted += 1,
        }
    }
    Ok(format!("{by_schema} refused by the schema, {by_open} by `open`, {accepted} accepted by both"))
}

fn empty(subject: &PluginUnderTest<'_>) -> CheckResult {
    let mut found = Vec::new();
    for (what, config) in [("`{}`", &b"{}"[..]), ("no bytes", b"")] {
        let refused = refused(subject, config, &format!("opening with {what}"))?;
        found.push(format!("{what}: {}", if refused { "refused" } else { "accepted" }));
    }
    Ok(found.join(", "))
}

fn several(subject: &PluginUnderTest<'_>) -> CheckResult {
    let mut open = Vec::new();
    let count = subject.repeat(8, |_| subject.open().map(|opened| open.push(opened)))?;
    // From the middle outwards, so that neither the first nor the last to come is the first to go.
    while !open.is_empty() {
        open.swap_remove(open.len() / 2).close();
    }
    subject.open()?.close();
    Ok(format!("{count} at once"))
}

/// Returns whether it refuses this configuration, which it must do as INVALID_CONFIG with an error that says
/// why.
fn refused(subject: &PluginUnderTest<'_>, config: &[u8], doing: &str) -> Result<bool, CheckFailure> {
    match subject.table()?.open(config) {
        OpenOutcome::Opened(opened) => {
            opened.close();
            Ok(false)
        }
        OpenOutcome::Nothing => broken(format!("it said OK and set no instance while {doing}")),
        OpenOutcome::Refused(answer) => {
            verdict::failure_of(&answer, &[LC_INVALID_CONFIG], doing)?;
            Ok(true)
        }
    }
}
