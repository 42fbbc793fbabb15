//! The permission that it takes to show a server a key. A proxy on this machine stands for servers elsewhere.

use super::http::{http, serve};
use crate::workspace::{Ran, Workspace};
use serde_json::json;

const KEY: &str = "a-key-nobody-may-see";
const ELSEWHERE: &str = "http://upstream.invalid/v1";

/// The result of a run of one stage and the validators of `more`, and the requests that a server elsewhere was sent.
fn run(stage: &str, more: &str, variables: &[(&str, &str)], arguments: &[&str]) -> (Ran, Vec<String>) {
    // Any of the APIs takes from it what it knows.
    let reply = json!({
        "choices": [{ "message": { "content": "{\"diagnosis\": \"x\"}" }, "finish_reason": "stop" }],
        "answer": "{\"diagnosis\": \"x\"}",
        "stages": [{ "name": "codes", "passed": true }],
    });
    let (proxy, sent) = serve(http("200 OK", "", &reply.to_string()));
    let place = Workspace::new();
    place.write(
        "profiles/keys.yaml",
        format!(
            "assess: {{ shape: {{ schema: schemas/x.json }} }}\noverall: {{ shape: 1 }}\naccept: {{ overall: 1 }}\n\
             stop: {{ max_iterations: 1 }}\nstages: [{{ id: extract, prompt: ask.md, retries: 0, {stage} }}]\n{more}"
        ),
    );
    place.write("prompts/ask.md", "{{ source }}");
    place.write("schemas/x.json", r#"{"type": "object", "required": ["diagnosis"]}"#);
    place.write("report.txt", "a report");
    let mut command = place.loopctl(&["run", "--profile", "keys", "--type", "pathology", "--out", "out"]);
    command.args(["--format", "json"]).args(arguments).arg("report.txt");
    for (name, _) in std::env::vars_os() {
        let upper = name.to_string_lossy().to_ascii_uppercase();
        if ["OPENAI_", "OLLAMA_", "HTTP", "ALL_PROXY", "NO_PROXY"]
            .iter()
            .any(|foreign| upper.starts_with(foreign))
        {
            command.env_remove(name);
        }
    }
    command.env("HTTP_PROXY", format!("http://{proxy}")).envs(variables.iter().copied());
    let ran = Ran::of(&mut command);
    for text in [&ran.out, &ran.err] {
        assert!(!text.contains(KEY), "{text}");
    }
    (ran, sent.try_iter().collect())
}

fn stage(provider: &str) -> String {
    format!("provider: '{provider}', config: {{ base_url: '{ELSEWHERE}', allow_http: true }}")
}

#[test]
fn a_server_that_only_the_profile_names_is_shown_no_key() {
    let (ran, sent) = run(&stage("openai:m"), "", &[("OPENAI_API_KEY", KEY)], &[]);
    ran.exits(0);
    assert!(sent.len() == 1 && sent[0].starts_with("POST http://upstream.invalid/v1/"), "{sent:?}");
    assert!(!sent[0].contains(KEY), "{sent:?}");

    // One that its API needs.
    let (ran, sent) = run(&stage("contrary:m"), "", &[("CONTRARY_KEY", KEY)], &[]);
    let ran = ran.exits(1);
    assert_eq!(sent, Vec::<String>::new());
    assert!(ran.err.contains("`upstream.invalid` is named by the profile only"), "{}", ran.err);
    assert!(
        ran.err.contains("set `CONTRARY_BASE_URL`, or give `--provider-config base_url=URL`"),
        "{}",
        ran.err
    );
}

#[test]
fn a_server_that_the_user_names_is_shown_the_key() {
    let url = format!("base_url={ELSEWHERE}");
    let setting = format!("stages.*.config.base_url={ELSEWHERE}");
    for (key, variable, provider) in [
        ("OPENAI_API_KEY", "OPENAI_BASE_URL", "openai:m"),
        ("CONTRARY_KEY", "CONTRARY_BASE_URL", "contrary:m"),
    ] {
        for (variables, arguments) in [
            (vec![], vec!["--provider-config", &url]),
            (vec![], vec!["--config", &setting]),
            (vec![(variable, ELSEWHERE)], vec![]),
        ] {
            let variables: Vec<_> = variables.into_iter().chain([(key, KEY)]).collect();
            let (ran, sent) = run(&stage(provider), "", &variables, &arguments);
            ran.exits(0);
            assert!(sent.len() == 1 && sent[0].contains(KEY), "{sent:?}");
        }
    }
}

#[test]
fn a_compatible_server_is_shown_its_own_key_only() {
    let stage = "provider: 'ollama:m', config: { allow_http: true }";
    let variables = [("OLLAMA_BASE_URL", ELSEWHERE), ("OPENAI_API_KEY", KEY)];
    let (ran, sent) = run(stage, "", &variables, &[]);
    ran.exits(0);
    assert!(sent.len() == 1 && !sent[0].contains(KEY), "{sent:?}");
    let variables = [("OLLAMA_BASE_URL", ELSEWHERE), ("OLLAMA_API_KEY", KEY)];
    let (_, sent) = run(stage, "", &variables, &[]);
    assert!(sent[0].contains(&format!("Bearer {KEY}")), "{sent:?}");
}

#[test]
fn nothing_that_people_write_is_filled_with_a_key() {
    let place = "$${secret:OPENAI_API_KEY}";
    let named = [("OPENAI_API_KEY", KEY), ("OPENAI_BASE_URL", ELSEWHERE)];
    for (stage, part) in [
        (
            format!(
                "provider: 'openai:m', config: {{ allow_http: true }}, options: {{ extra_headers: {{ x: '{place}' }} }}"
            ),
            "`extra_headers` or `model`",
        ),
        (
            format!("provider: openai, config: {{ allow_http: true }}, options: {{ model: '{place}' }}"),
            "`extra_headers` or `model`",
        ),
        (
            format!("provider: 'openai:m', config: {{ allow_http: true, organization: '{place}' }}"),
            "is in it",
        ),
    ] {
        let (ran, sent) = run(&stage, "", &named, &[]);
        // Settings are refused before anything is run, what a call is made of with the call.
        assert!(matches!(ran.code, Some(1 | 2)), "{:?}", ran.code);
        assert!(ran.err.contains(part) && ran.err.contains("only plugins ask for keys"), "{}", ran.err);
        assert_eq!(sent, Vec::<String>::new());
    }
}

#[test]
fn the_token_of_services_goes_where_its_owner_says() {
    let validators = |port: &str| {
        format!(
            "validators:\n  terms: {{ url: 'http://upstream.invalid{port}/check', stages: [codes], token: true, allow_http: true }}\n"
        )
    };
    let stage = "provider: 'ollama:m', config: { allow_http: true }";
    let of = |validators: &str, hosts: &str| {
        let variables = [
            ("OLLAMA_BASE_URL", ELSEWHERE),
            ("LOOPCTL_SERVICE_TOKEN", KEY),
            ("LOOPCTL_SERVICE_HOSTS", hosts),
        ];
        run(stage, validators, &variables, &[])
    };
    for hosts in ["", "example.org", "upstream.invalid"] {
        // Without TLS its port must be named, too.
        let (ran, sent) = of(&validators(""), hosts);
        let ran = ran.exits(2);
        assert!(ran.err.contains("`LOOPCTL_SERVICE_HOSTS`"), "{}", ran.err);
        assert_eq!(sent, Vec::<String>::new());
    }
    let (ran, sent) = of(&validators(":8080"), "example.org, upstream.invalid:8080");
    assert!(sent.iter().any(|request| request.contains(&format!("Bearer {KEY}"))), "{} {sent:?}", ran.err);
}
