//! The plugin, as loopctl would use it.

use loopctl_plugin_sdk::protocol::{CompletionRequest, Manifest};
use loopctl_plugin_sdk::serde_json::{self, json};
use loopctl_plugin_sdk::{Cancel, DirectPlugin, Failure};

use loopctl_@IDENT@::{LOOPCTL_MANIFEST, Plugin};

#[test]
fn it_answers_with_the_candidate_or_what_its_configuration_says() {
    let plugin = Plugin::open(&json!({"answer": {"a": 1}})).unwrap();
    let first = plugin
        .complete(&CompletionRequest::default(), &Cancel::new())
        .unwrap();
    assert_eq!(first.value, Some(json!({"a": 1})));
    let correction = CompletionRequest {
        base: Some(json!({"a": 2})),
        ..CompletionRequest::default()
    };
    assert_eq!(
        plugin.complete(&correction, &Cancel::new()).unwrap().value,
        Some(json!({"a": 2}))
    );
}

#[test]
fn a_wrong_configuration_is_refused() {
    assert!(
        Plugin::open(&json!({"answer": 1}))
            .unwrap_err()
            .to_string()
            .contains("`answer`")
    );
}

#[test]
fn a_call_that_was_given_up_ends() {
    let cancel = Cancel::new();
    cancel.cancel();
    let plugin = Plugin::open(&json!({})).unwrap();
    assert_eq!(
        plugin.complete(&CompletionRequest::default(), &cancel),
        Err(Failure::cancelled())
    );
}

#[test]
fn the_manifest_is_one() {
    let manifest: Manifest = serde_json::from_str(LOOPCTL_MANIFEST).unwrap();
    assert_eq!(
        (manifest.name.as_str(), manifest.version.as_str()),
        ("@NAME@", env!("CARGO_PKG_VERSION"))
    );
}
