//! Plugins in C: one that keeps the contract, and many that don't.

use std::time::Duration;

use loopctl::provider::{FailureKind, ProviderError};
use serde_json::{Value, json};

use super::bed::{Bed, ask, request};

#[tokio::test]
async fn a_plugin_in_c_works() {
    let provider = Bed::new().neighbour("well_behaved");
    for _ in 0..3 {
        let completion = ask(&provider).await.unwrap();
        assert_eq!(completion.value, Some(json!({"from": "C"})));
        assert_eq!(completion.usage.input_tokens, 3);
    }
    assert_eq!(provider.dropped_answers(), 0);
}

fn refused(name: &str) -> ProviderError {
    let bed = Bed::new();
    let library = bed.trusted(name);
    bed.providers().open(library.to_str().unwrap(), &Value::Null).unwrap_err()
}

#[test]
fn another_abi_is_refused_with_both_versions() {
    let error = refused("wrong_major");
    assert!(matches!(error, ProviderError::AbiMismatch { .. }), "{error}");
    assert!(error.to_string().contains("speaks plugin ABI 7.1, this loopctl speaks 1.1"), "{error}");
}

#[test]
fn a_short_table_lacks_functions_by_name() {
    let error = refused("short_table");
    assert!(error.to_string().contains("lacks the function `cancel`"), "{error}");
}

#[test]
fn a_table_without_a_size_is_said_to_have_none() {
    let error = refused("empty_table").to_string();
    assert!(error.contains("its table says that it has 0 bytes, too few for a manifest"), "{error}");
}

#[test]
fn a_null_table_is_a_refusal() {
    assert!(matches!(refused("null_table"), ProviderError::Refused { .. }));
}

#[test]
fn two_manifests_that_differ_are_refused() {
    assert!(matches!(refused("mismatch"), ProviderError::ManifestMismatch { .. }));
}

#[test]
fn what_is_no_plugin_is_said_to_be_none() {
    assert!(refused("no_symbol").to_string().contains("doesn't export `loopctl_plugin_v1`"));

    let bed = Bed::new();
    let library = bed.compile("not_a_plugin", "elsewhere");
    let text = bed.write("text.so", "hello\n");
    let empty = bed.write("empty.so", "");
    let cut = bed.path("cut.so");
    let whole = std::fs::read(bed.compile("never", "elsewhere")).unwrap();
    std::fs::write(&cut, &whole[..whole.len() / 2]).unwrap();
    for path in [library, text, empty, cut, bed.dir.path().to_owned()] {
        for error in [
            bed.providers().inspect(&path).unwrap_err(),
            bed.providers().trust(&path).unwrap_err(),
            bed.providers().open(path.to_str().unwrap(), &Value::Null).unwrap_err(),
        ] {
            assert!(matches!(error, ProviderError::NotAPlugin { .. }), "{error}");
        }
    }
    let missing = bed.providers().inspect(&bed.path("missing.so")).unwrap_err();
    assert!(matches!(missing, ProviderError::Unreadable { .. }), "{missing}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_plugin_for_another_machine_is_said_to_be_one() {
    let bed = Bed::new();
    let library = bed.compile("well_behaved", "elsewhere");
    let mut bytes = std::fs::read(&library).unwrap();
    bytes[0x12] = if cfg!(target_arch = "aarch64") { 62 } else { 183 };
    std::fs::write(&library, bytes).unwrap();
    bed.providers().trust(&library).unwrap();
    let error = bed.providers().open(library.to_str().unwrap(), &Value::Null).unwrap_err().to_string();
    assert!(error.contains("it was built for a") || error.contains("it was built for x86_64"), "{error}");
}

#[tokio::test]
async fn garbage_is_called_garbage() {
    for name in ["garbage", "hollow"] {
        let failure = ask(&Bed::new().neighbour(name)).await.unwrap_err();
        assert_eq!(failure.kind, FailureKind::Garbage, "{failure}");
    }
}

#[tokio::test]
async fn a_second_answer_finds_nobody() {
    let provider = Bed::new().neighbour("twice");
    for calls in 1..=3 {
        assert_eq!(ask(&provider).await.unwrap().value, Some(json!(1)));
        // The second comes from the thread that also gave the first, perhaps a moment later.
        while provider.dropped_answers() < calls {
            tokio::task::yield_now().await;
        }
    }
}

#[tokio::test]
async fn forged_answers_find_nobody() {
    let provider = Bed::new().neighbour("forged");
    assert_eq!(ask(&provider).await.unwrap().value, Some(json!(1)));
    assert_eq!(provider.dropped_answers(), 2);
}

#[tokio::test]
async fn no_answer_ends_at_the_deadline() {
    let provider = Bed::new().neighbour("never");
    let failure = provider.complete(&request("a"), Duration::from_millis(50)).await.unwrap_err();
    assert_eq!(failure.kind, FailureKind::Deadline);
    assert!(failure.message.contains("50 ms"), "{failure}");
}

#[tokio::test]
async fn a_start_that_does_not_return_ends_at_the_deadline() {
    let provider = Bed::new().neighbour("slow_start");
    let failure = provider.complete(&request("a"), Duration::from_millis(50)).await.unwrap_err();
    assert_eq!(failure.kind, FailureKind::Deadline);
    while provider.dropped_answers() == 0 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_refused_call_has_the_plugins_own_status() {
    let provider = Bed::new().neighbour("refuses");
    let failure = ask(&provider).await.unwrap_err();
    assert_eq!((failure.kind, failure.message.as_str()), (FailureKind::Permanent, "not today (status 1234)"));
    assert_eq!(provider.dropped_answers(), 1);
}
