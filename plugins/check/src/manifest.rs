//! The manifest and the file's name. Runs none of the plugin's code.

use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};

use loopctl_plugin_sdk::protocol::PluginKind;

use super::check::{CheckFailure, CheckResult, ContractCheck, broken};
use super::subject::PluginUnderTest;
use crate::provider::locate::same_name;
use crate::provider::registry::check_config;

pub(super) const READABLE: &str = "manifest.readable";
pub(super) const ABI: &str = "manifest.abi";

pub(super) static CHECKS: [ContractCheck; 7] = [
    ContractCheck {
        id: READABLE,
        kind: None,
        needs: &[],
        asks: "the library holds one manifest, behind its 16 magic bytes, that is read without running anything",
        help: "build it with `loopctl-plugin-sdk`, or put `LC_MANIFEST(\"{…}\");` at file level",
        run: |subject| Ok(format!("{} bytes of JSON", subject.file.manifest_json.len())),
    },
    ContractCheck {
        id: ABI,
        kind: None,
        needs: &[READABLE],
        asks: "the manifest's `abi.major` is this loopctl's",
        help: "build it against this loopctl's header, and write that version into the manifest",
        run: |subject| {
            let abi = subject.manifest().abi;
            Ok(format!("ABI {}.{}", abi.major, abi.minor))
        },
    },
    ContractCheck {
        id: "manifest.name",
        kind: None,
        needs: &[ABI],
        asks: "the library is called `loopctl_NAME` after its manifest, so that it is found by its name",
        help: "rename the file, or the `name` in the manifest",
        run: name,
    },
    ContractCheck {
        id: "manifest.secrets",
        kind: None,
        needs: &[ABI],
        asks: "`secrets` names environment variables: capitals, digits and `_`",
        help: "declare the variable that a person sets, such as `ACME_API_KEY`, never its value",
        run: secrets,
    },
    ContractCheck {
        id: "manifest.config_schema",
        kind: None,
        needs: &[ABI],
        asks: "`config_schema`, if there is one, is a valid JSON Schema",
        help: "correct it at the place named",
        run: config_schema,
    },
    ContractCheck {
        id: "manifest.config",
        kind: None,
        needs: &["manifest.config_schema"],
        asks: "`config_schema` accepts the configuration that the plugin is checked with",
        help: "give it one that it accepts: `--config KEY=VALUE`; the first of `examples` in `config_schema` is taken \
               without",
        run: |subject| {
            check_config(subject.manifest(), &subject.config).map_err(|error| error.to_string())?;
            Ok("accepted".to_owned())
        },
    },
    ContractCheck {
        id: "manifest.hosts",
        kind: Some(PluginKind::Http),
        needs: &[ABI],
        asks: "`hosts`, `endpoints` or the configuration's `base_url` names where requests may go",
        help: "write hosts as `name` or `name:port`, or give one with `--config base_url=https://…`",
        run: |subject| {
            subject.has_link()?;
            Ok(format!("hosts: {}", subject.manifest().hosts.join(", ")))
        },
    },
];

fn name(subject: &PluginUnderTest<'_>) -> CheckResult {
    let file = subject.file.path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let stem = file
        .strip_prefix(DLL_PREFIX)
        .and_then(|file| file.strip_prefix("loopctl_"))
        .and_then(|file| file.strip_suffix(DLL_SUFFIX));
    let name = &subject.manifest().name;
    match stem {
        Some(stem) if same_name(stem, name) => Ok(format!("`{file}` is `{name}`")),
        Some(_) => broken(format!("the file is called `{file}`, and the manifest says `{name}`")),
        None => Err(CheckFailure::Skipped(format!(
            "the file isn't called `{DLL_PREFIX}loopctl_{}{DLL_SUFFIX}`, so it can only be named by its path",
            name.replace('-', "_")
        ))),
    }
}

fn secrets(subject: &PluginUnderTest<'_>) -> CheckResult {
    let secrets = &subject.manifest().secrets;
    let fits = |name: &str| {
        name.starts_with(|c: char| c.is_ascii_uppercase() || c == '_')
            && name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
    };
    match secrets.iter().position(|name| !fits(name)) {
        // Its index, and not its text: someone may have written the key itself.
        Some(at) => broken(format!("entry {} of `secrets` can't be the name of a variable", at + 1)),
        None if secrets.is_empty() => Ok("it asks for none".to_owned()),
        None => Ok(secrets.join(", ")),
    }
}

fn config_schema(subject: &PluginUnderTest<'_>) -> CheckResult {
    let Some(schema) = &subject.manifest().config_schema else {
        return Ok("there is none: any configuration goes".to_owned());
    };
    if let Err(error) = jsonschema::meta::validate(schema) {
        return broken(format!("at `{}`: {}", error.instance_path(), error.masked()));
    }
    if let Err(error) = jsonschema::validator_for(schema) {
        return broken(error.to_string());
    }
    Ok("valid".to_owned())
}
