//! The address of an API, the key that it is shown and how a model is to answer, set as users set them.

use super::api::Api;
use super::runs::{REPORT, loopctl, whole};
use super::server::{Script, Seen, Setup, Vendor};
use crate::workspace::{Ran, Workspace};
use serde_json::{Value, json};

const KEY: &str = "a-key-that-nobody-may-see";

/// Environment variables and their values.
type Variables = &'static [(&'static str, &'static str)];

/// One run of README's report that must pass at the first call, with `{URL}` in variables replaced by the server's.
fn run(api: Api, key: Option<&str>, provider: &str, variables: &[(&str, &str)], more: &[&str]) -> Seen {
    let setup = Setup { api, key: key.map(str::to_owned), script: Script::of([whole()]), faults: Vec::new() };
    let vendor = Vendor::start(setup);
    let place = Workspace::new();
    place.write("liver-resection.txt", REPORT);
    let mut arguments = vec!["run", "--profile", "clinical", "--provider", provider, "--format", "json"];
    arguments.extend(more);
    arguments.push("liver-resection.txt");
    let mut command = loopctl(&place, api, &vendor, None, &arguments);
    for (name, value) in variables {
        command.env(name, value.replace("{URL}", &vendor.url()));
    }
    let ran = Ran::of(&mut command);
    let what = format!("{provider} {variables:?} {more:?}: {}\n{:?}", ran.err, vendor.complaints());
    assert!(ran.code == Some(0) && vendor.complaints().is_empty(), "{what}");
    let mut seen = vendor.seen();
    assert_eq!(seen.len(), 1, "{what}");
    seen.remove(0)
}

#[test]
fn base_urls_and_keys_may_stand_in_every_usual_variable() {
    let cases: [(Api, &str, Variables); 13] = [
        (Api::OpenAi, "openai:any", &[("OPENAI_BASE_URL", "{URL}"), ("OPENAI_API_KEY", KEY)]),
        (Api::OpenAi, "openai:any", &[("OPENAI_BASE_URL", "{URL}/v1/"), ("OPENAI_API_KEY", KEY)]),
        (Api::Anthropic, "anthropic:any", &[("ANTHROPIC_BASE_URL", "{URL}/"), ("ANTHROPIC_API_KEY", KEY)]),
        (Api::Anthropic, "anthropic:any", &[("ANTHROPIC_BASE_URL", "{URL}/v1"), ("ANTHROPIC_API_KEY", KEY)]),
        (Api::Gemini, "gemini:any", &[("GEMINI_BASE_URL", "{URL}/v1beta"), ("GEMINI_API_KEY", KEY)]),
        (Api::Gemini, "gemini:any", &[("GEMINI_BASE_URL", "{URL}/"), ("GOOGLE_API_KEY", KEY)]),
        (Api::Azure, "azure:any", &[("AZURE_OPENAI_ENDPOINT", "{URL}/"), ("AZURE_OPENAI_API_KEY", KEY)]),
        (Api::Azure, "azure:any", &[("AZURE_OPENAI_DEPLOYMENT", "ward-7"), ("AZURE_OPENAI_API_KEY", KEY)]),
        // Servers of one's own, which want no key.
        (Api::OpenAi, "openai:any", &[]),
        (Api::Anthropic, "anthropic:any", &[]),
        (Api::Gemini, "gemini:any", &[]),
        (Api::OpenAi, "ollama:any", &[("OLLAMA_BASE_URL", "{URL}")]),
        (Api::OpenAi, "vllm:any", &[("VLLM_BASE_URL", "{URL}/v1")]),
    ];
    std::thread::scope(|scope| {
        for (api, provider, variables) in cases {
            scope.spawn(move || {
                let key = variables.iter().any(|(_, value)| *value == KEY).then_some(KEY);
                let seen = run(api, key, provider, variables, &[]);
                let asked = seen.asked.unwrap();
                let deployed = variables.iter().any(|(name, _)| *name == "AZURE_OPENAI_DEPLOYMENT");
                assert!(!deployed || seen.request.path.contains("/ward-7/"), "{}", seen.request.path);
                assert!(deployed || asked.model == "any", "{}", asked.model);
                if key.is_none() {
                    let shown = ["authorization", "x-api-key", "x-goog-api-key", "api-key"];
                    assert!(
                        shown.iter().all(|name| seen.request.header(name).is_none()),
                        "{:?}",
                        seen.request.headers
                    );
                }
            });
        }
    });
}

#[test]
fn options_arrive_under_the_names_that_each_api_has_for_them() {
    // A seed that no 32 bits hold.
    let options = "stages.*.options={temperature: 0.5, seed: 3000000000, max_tokens: 700, extra_headers: {x-ward: '7'}}";
    let sent = |api: Api| {
        let seen = run(
            api,
            None,
            &format!("{}:any", api.name()),
            &[("AZURE_OPENAI_API_KEY", KEY)],
            &["--config", options],
        );
        assert_eq!(seen.request.header("x-ward"), Some("7"));
        seen.body()
    };
    for api in [Api::OpenAi, Api::Azure] {
        let body = sent(api);
        let limit = [&body["max_tokens"], &body["max_completion_tokens"]].map(Value::as_u64);
        assert!(limit.contains(&Some(700)), "{limit:?}");
        assert_eq!((&body["temperature"], &body["seed"]), (&json!(0.5), &json!(3_000_000_000_u64)));
    }
    let body = sent(Api::Anthropic);
    assert_eq!((&body["temperature"], &body["max_tokens"]), (&json!(0.5), &json!(700)));
    let config = sent(Api::Gemini)["generationConfig"].clone();
    assert_eq!((&config["temperature"], &config["maxOutputTokens"]), (&json!(0.5), &json!(700)));
}

#[test]
fn models_of_every_generation_are_asked_for_what_they_take() {
    for (model, forced, temperature) in [
        ("claude-haiku-4-5", true, true),
        ("claude-opus-4-8", true, false),
        ("claude-sonnet-5", true, false),
        ("claude-sonnet-5-5", false, false),
        ("claude-fable-5-2", false, false),
    ] {
        let provider = format!("anthropic:{model}");
        let seen = run(Api::Anthropic, None, &provider, &[], &["--config", "stages.*.options.temperature=0"]);
        let body = seen.body();
        assert_eq!(body["tool_choice"]["type"] == "tool", forced, "{model}");
        assert_eq!(body.get("temperature").is_some(), temperature, "{model}");
    }
}

#[test]
fn openais_models_that_reason_are_asked_for_what_they_take() {
    for (api, provider, temperature) in [
        (Api::OpenAi, "openai:o3", false),
        (Api::OpenAi, "openai:gpt-5.2", false),
        (Api::OpenAi, "openai:gpt-4.1", true),
        (Api::Azure, "azure:o4-mini", false),
        (Api::OpenAi, "vllm:gpt-oss-120b", true),
    ] {
        let variables: Variables = &[("VLLM_BASE_URL", "{URL}/v1")];
        let options = "stages.*.options={temperature: 0, max_tokens: 700}";
        let key = (api == Api::Azure).then_some(("AZURE_OPENAI_API_KEY", KEY));
        let variables: Vec<(&str, &str)> = variables.iter().copied().chain(key).collect();
        let body = run(api, None, provider, &variables, &["--config", options]).body();
        assert_eq!(body.get("temperature").is_some(), temperature, "{provider}");
    }
}

#[test]
fn of_two_keys_gemini_is_shown_the_one_that_googles_libraries_take() {
    let keys = [("GOOGLE_API_KEY", KEY), ("GEMINI_API_KEY", "another-key")];
    let seen = run(Api::Gemini, Some(KEY), "gemini:any", &keys, &[]);
    assert_eq!(seen.request.header("x-goog-api-key"), Some(KEY));
}

#[test]
fn whatever_else_an_api_takes_goes_into_its_body() {
    for (api, more, pointer, value) in [
        (Api::OpenAi, "{reasoning_effort: low}", "/reasoning_effort", json!("low")),
        (Api::Anthropic, "{top_k: 5}", "/top_k", json!(5)),
        (Api::Gemini, "{generationConfig: {topK: 5}}", "/generationConfig/topK", json!(5)),
    ] {
        let options = format!("stages.*.options.extra_body={more}");
        let seen = run(api, None, &format!("{}:any", api.name()), &[], &["--config", &options]);
        assert_eq!(seen.body().pointer(pointer), Some(&value), "{}", seen.body());
        // The rest of the body is still there.
        assert!(seen.asked.unwrap().schema.is_some(), "{}", api.name());
    }
}
