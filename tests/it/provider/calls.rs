//! Calls through the `scripted` plugin's shared library, and linked in.

use std::time::Duration;

use loopctl::provider::{FailureKind, ProviderError};
use serde_json::{Value, json};

use super::bed::{Bed, PLENTY, ask, dropped_an_answer, request};

#[tokio::test]
async fn an_answer_comes_back_with_what_it_took() {
    let bed = Bed::new();
    let provider = bed.scripted(
        "- value: {grade: \"2\"}\n  tokens: {input: 812, output: 96}\n  cost_usd: 0.25\n  model: m\n",
    );
    let completion = ask(&provider).await.unwrap();
    assert_eq!(completion.value, Some(json!({"grade": "2"})));
    assert_eq!((completion.usage.input_tokens, completion.usage.output_tokens), (812, 96));
    assert_eq!(completion.usage.cost_usd, Some(0.25));
    assert_eq!(provider.identity().name, "scripted");
    assert_eq!(provider.identity().digest.len(), 64);
}

#[tokio::test]
async fn linked_in_it_is_the_same() {
    let bed = Bed::new();
    let file = bed.write("answers.jsonl", "{\"value\": 1}\n{\"fault\": \"panic\"}\n{\"value\": 2}\n");
    let providers = bed.providers().with_linked(loopctl_scripted::LOOPCTL_PLUGIN).unwrap();
    let again = bed.providers().with_linked(loopctl_scripted::LOOPCTL_PLUGIN).unwrap();
    let provider = providers.open("scripted", &json!({ "file": file })).unwrap();
    let other = again.open("scripted", &json!({ "file": file })).unwrap();
    assert_eq!(provider.identity().path.to_str(), Some("(linked)"));
    for provider in [&provider, &other] {
        assert_eq!(ask(provider).await.unwrap().value, Some(json!(1)));
        assert_eq!(ask(provider).await.unwrap_err().kind, FailureKind::Panic);
    }
    let mut listed = providers.list();
    listed.retain(|one| one.name == "scripted");
    assert_eq!(listed.len(), 1);
}

/// There is no library to check or to trust; that is reported, and not that there is no such plugin.
#[tokio::test]
async fn linked_in_it_has_no_file() {
    let providers = Bed::new().providers().with_linked(loopctl_scripted::LOOPCTL_PLUGIN).unwrap();
    let error = providers.path_of("scripted").unwrap_err();
    assert!(matches!(&error, ProviderError::BuiltIn { name } if name == "scripted"), "{error}");
    assert!(error.help().contains("give its path"), "{}", error.help());
    assert!(providers.path_of("pattern").is_ok());
}

#[tokio::test]
async fn faults_keep_their_kind() {
    let bed = Bed::new();
    let provider = bed.scripted(
        "- fault: transient\n- {fault: rate_limited, retry_after_ms: 250}\n- fault: unauthorized\n\
         - fault: invalid_request\n- {fault: permanent, message: \"no\\nway\"}\n- fault: wrong_status\n\
         - fault: garbage\n- fault: huge\n",
    );
    let mut failures = Vec::new();
    for _ in 0..9 {
        failures.push(ask(&provider).await.unwrap_err());
    }
    use FailureKind::*;
    let kinds: Vec<_> = failures.iter().map(|failure| failure.kind).collect();
    assert_eq!(
        kinds,
        [
            Transient,
            RateLimited,
            Unauthorized,
            InvalidRequest,
            Permanent,
            Permanent,
            Garbage,
            TooLarge,
            Permanent
        ]
    );
    assert_eq!(failures[1].retry_after, Some(Duration::from_millis(250)));
    assert_eq!(failures[4].message, "no way");
    assert!(failures[5].message.contains("status 4242"), "{}", failures[5]);
    assert!(failures[6].message.contains("not JSON"), "{}", failures[6]);
    assert!(failures[8].message.contains("run out"), "{}", failures[8]);
    assert_eq!(failures[8].provider, "scripted");
}

#[tokio::test]
async fn prose_and_silence_are_answers() {
    let bed = Bed::new();
    let provider = bed.scripted("- fault: not_json_text\n- fault: empty\n");
    assert!(ask(&provider).await.unwrap().text.unwrap().contains("sorry"));
    assert_eq!(ask(&provider).await.unwrap().text.unwrap(), "");
}

#[tokio::test]
async fn a_panic_ends_one_call_and_the_instance_is_opened_once_more() {
    let bed = Bed::new();
    let provider = bed.scripted("- fault: panic\n- value: 1\n- fault: panic\n");
    let panicked = ask(&provider).await.unwrap_err();
    assert_eq!(panicked.kind, FailureKind::Panic);
    assert!(panicked.message.contains("panicked at"), "{panicked}");
    assert_eq!(ask(&provider).await.unwrap().value, Some(json!(1)));
    // Once more, and no further.
    assert!(ask(&provider).await.unwrap_err().message.contains("panicked at"));
    let dead = ask(&provider).await.unwrap_err();
    assert!(dead.kind == FailureKind::Panic && dead.message.contains("twice"), "{dead}");
}

#[tokio::test]
async fn after_a_panic_other_documents_go_on() {
    let bed = Bed::new();
    let provider = bed.scripted("- {id: a, fault: panic}\n- value: 1\n");
    assert_eq!(ask(&provider).await.unwrap_err().kind, FailureKind::Panic);
    for id in ["b", "c"] {
        let other = provider.complete(&request(id), PLENTY).await.unwrap();
        assert_eq!(other.value, Some(json!(1)));
    }
}

#[tokio::test]
async fn a_hang_ends_at_the_deadline_and_is_cancelled() {
    let bed = Bed::new();
    let provider = bed.scripted_alone("- fault: hang\n- value: 1\n");
    let hung = provider.complete(&request("a"), Duration::from_millis(100)).await.unwrap_err();
    assert_eq!(hung.kind, FailureKind::Deadline);
    // Once notified, the plugin ends the call; its late answer reaches no one.
    dropped_an_answer(&provider).await;
    assert_eq!(ask(&provider).await.unwrap().value, Some(json!(1)));
}

#[tokio::test]
async fn a_dropped_call_is_cancelled() {
    let bed = Bed::new();
    let provider = bed.scripted_alone("- fault: hang\n");
    let asked = request("a");
    let mut call = Box::pin(provider.complete(&asked, PLENTY));
    tokio::select! {
        biased;
        _ = &mut call => panic!("it can't end"),
        () = tokio::task::yield_now() => {}
    }
    drop(call);
    dropped_an_answer(&provider).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_hundred_calls_at_once_each_get_their_own_answer() {
    let script: String =
        (0..200).map(|n| format!("- {{id: d{n}, value: {n}, delay_ms: {}}}\n", (n * 7) % 40)).collect();
    let bed = Bed::new();
    let provider = bed.scripted(&script);
    let calls: Vec<_> = (0..200)
        .map(|n| {
            let provider = provider.clone();
            tokio::spawn(async move { provider.complete(&request(&format!("d{n}")), PLENTY).await })
        })
        .collect();
    for (n, call) in calls.into_iter().enumerate() {
        assert_eq!(call.await.unwrap().unwrap().value, Some(json!(n)));
    }
}

#[test]
fn configuration_mistakes_name_the_provider_and_the_place() {
    let bed = Bed::new();
    let providers = bed.providers();
    let none = providers.open("scripted", &Value::Null).unwrap_err();
    assert!(matches!(&none, ProviderError::Config { provider, .. } if provider == "scripted"), "{none}");
    assert!(none.to_string().contains("file"), "{none}");
    let file = bed.write("answers.yaml", "- value: 1\n- valeu: 2\n");
    let typo = providers.open("scripted", &json!({ "file": file })).unwrap_err();
    assert!(typo.to_string().contains("answers.yaml:2: unknown key `valeu`"), "{typo}");
}

#[test]
fn an_unknown_name_is_answered_with_those_that_exist() {
    let unknown = Bed::new().providers().open("scriptd", &Value::Null).unwrap_err();
    assert!(unknown.help().contains("did you mean `scripted`?"), "{}", unknown.help());
    assert!(unknown.help().contains("contrary"), "{}", unknown.help());
}

#[test]
fn a_spec_may_carry_a_model() {
    let bed = Bed::new();
    let file = bed.write("answers.yaml", "- value: 1\n");
    let provider = bed.providers().open("scripted:gpt-x", &json!({ "file": file })).unwrap();
    assert_eq!(provider.model(), Some("gpt-x"));
}
