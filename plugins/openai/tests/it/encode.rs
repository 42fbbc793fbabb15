//! Requests in, HTTP out.

use loopctl_openai::OpenAi;
use loopctl_plugin_sdk::protocol::{CompletionRequest, RequestOptions, Role};
use loopctl_plugin_sdk::{HttpCodec, abi};
use serde_json::{Value, json};

use crate::codec::{attachment, body, encoded, message};

fn request() -> CompletionRequest {
    CompletionRequest {
        messages: vec![message(Role::System, "Extract."), message(Role::User, "A polyp.\u{2028}ß")],
        options: RequestOptions { model: Some("m-1".into()), ..RequestOptions::default() },
        ..CompletionRequest::default()
    }
}

#[test]
fn a_whole_request() {
    let request = CompletionRequest {
        schema: Some(json!({"type": "object", "properties": {"grade": {"type": "string"}}})),
        options: RequestOptions {
            model: Some("m-1".into()),
            temperature: Some(0.2),
            seed: Some(7),
            max_tokens: Some(900),
            ..RequestOptions::default()
        },
        ..request()
    };
    let http = encoded(json!({}), &request).unwrap();
    assert_eq!((http.method.as_str(), http.path.as_str()), ("POST", "/v1/chat/completions"));
    assert_eq!(
        json!(http.headers),
        json!({"authorization": "Bearer ${secret:OPENAI_API_KEY}", "content-type": "application/json"})
    );
    assert_eq!(http.base_url, None);
    assert_eq!(
        serde_json::from_str::<Value>(&http.body).unwrap(),
        json!({
            "model": "m-1",
            "messages": [
                {"role": "system", "content": "Extract."},
                {"role": "user", "content": "A polyp.\u{2028}ß"},
            ],
            "response_format": {
                "type": "json_schema",
                "json_schema": {
                    "name": "answer",
                    "strict": true,
                    "schema": {
                        "type": "object",
                        "properties": {"grade": {"type": ["string", "null"]}},
                        "required": ["grade"],
                        "additionalProperties": false,
                    },
                },
            },
            "temperature": 0.2,
            "seed": 7,
            "max_completion_tokens": 900,
        })
    );
}

/// Configuration, path, header of the key, its value.
#[test]
fn where_it_goes_and_with_which_key() {
    const BEARER: &str = "Bearer ${secret:OPENAI_API_KEY}";
    const MAYBE: &str = "Bearer ${secret:OPENAI_API_KEY?}";
    let azure = "/openai/deployments/m-1/chat/completions?api-version=2024-10-21";
    let cases = [
        (json!({"base_url": "https://api.openai.com/v1"}), "/chat/completions", "authorization", BEARER),
        (json!({"base_url": "https://eu.api.openai.com"}), "/v1/chat/completions", "authorization", BEARER),
        (json!({"base_url": "http://127.0.0.1:9/v1/"}), "/chat/completions", "authorization", MAYBE),
        (json!({"base_url": "http://127.0.0.1:9"}), "/v1/chat/completions", "authorization", MAYBE),
        (
            json!({"endpoint": "openai", "base_url": "https://gateway.example/v1"}),
            "/chat/completions",
            "authorization",
            MAYBE,
        ),
        (
            json!({"endpoint": "ollama", "base_url": "http://127.0.0.1:11434/v1"}),
            "/chat/completions",
            "authorization",
            "Bearer ${secret:OLLAMA_API_KEY?}",
        ),
        (
            json!({"endpoint": "vllm", "base_url": "https://gpu.example/v1"}),
            "/chat/completions",
            "authorization",
            "Bearer ${secret:VLLM_API_KEY?}",
        ),
        (
            json!({"endpoint": "llamacpp", "base_url": "https://gpu.example/v1"}),
            "/chat/completions",
            "authorization",
            "Bearer ${secret:LLAMACPP_API_KEY?}",
        ),
        (
            json!({"endpoint": "lmstudio", "base_url": "https://gpu.example/v1"}),
            "/chat/completions",
            "authorization",
            "Bearer ${secret:LMSTUDIO_API_KEY?}",
        ),
        (
            json!({"endpoint": "vllm", "base_url": "https://openrouter.ai/api/v1"}),
            "/chat/completions",
            "authorization",
            "Bearer ${secret:OPENROUTER_API_KEY}",
        ),
        (
            json!({"endpoint": "openrouter", "base_url": "https://openrouter.ai/api/v1"}),
            "/chat/completions",
            "authorization",
            "Bearer ${secret:OPENROUTER_API_KEY}",
        ),
        (
            json!({"endpoint": "openrouter", "base_url": "http://127.0.0.1:9/api/v1"}),
            "/chat/completions",
            "authorization",
            "Bearer ${secret:OPENROUTER_API_KEY?}",
        ),
        (
            json!({"base_url": "https://openrouter.ai/api/v1"}),
            "/chat/completions",
            "authorization",
            "Bearer ${secret:OPENROUTER_API_KEY|OPENAI_API_KEY}",
        ),
        (
            json!({"endpoint": "azure", "base_url": "https://r.openai.azure.com"}),
            azure,
            "api-key",
            "${secret:AZURE_OPENAI_API_KEY}",
        ),
        (
            json!({"endpoint": "azure", "base_url": "https://r.openai.azure.com/openai/", "deployment": "d 1/x", "api_version": "2025-01-01-preview"}),
            "/deployments/d%201%2Fx/chat/completions?api-version=2025-01-01-preview",
            "api-key",
            "${secret:AZURE_OPENAI_API_KEY}",
        ),
        (
            json!({"endpoint": "azure", "base_url": "https://r.openai.azure.com/openai/deployments/d-1"}),
            "/chat/completions?api-version=2024-10-21",
            "api-key",
            "${secret:AZURE_OPENAI_API_KEY}",
        ),
        (
            json!({"endpoint": "azure", "base_url": "https://r.openai.azure.com/openai/v1"}),
            "/chat/completions",
            "api-key",
            "${secret:AZURE_OPENAI_API_KEY}",
        ),
        (
            json!({"endpoint": "azure", "base_url": "http://127.0.0.1:9"}),
            azure,
            "api-key",
            "${secret:AZURE_OPENAI_API_KEY?}",
        ),
    ];
    for (config, path, header, key) in cases {
        let http = encoded(config.clone(), &request()).unwrap();
        assert_eq!((http.path.as_str(), http.headers[header].as_str()), (path, key), "{config}");
    }
}

#[test]
fn configurations_that_lead_nowhere_are_refused() {
    for config in [
        json!({"endpoint": "azure"}),
        json!({"endpoint": "azure", "base_url": "https://api.openai.com"}),
        json!({"endpoint": "ollama"}),
        json!({"base_url": "http://127.0.0.1:9/v1/chat/completions"}),
    ] {
        let failure = OpenAi::open(&config).unwrap_err();
        assert_eq!(failure.status, abi::LC_INVALID_CONFIG, "{config}");
        assert!(failure.error.message.contains("base_url"), "{failure}");
    }
}

#[test]
fn a_model_must_be_named() {
    let nameless = CompletionRequest { options: RequestOptions::default(), ..request() };
    let failure = encoded(json!({}), &nameless).unwrap_err();
    assert_eq!(failure.status, abi::LC_INVALID_REQUEST);
    assert_eq!(failure.error.message, "no model is named: write `openai:MODEL`");
    assert_eq!(body(json!({"model": "c"}), &nameless)["model"], "c");
    assert_eq!(body(json!({"model": "c"}), &request())["model"], "m-1");
    let azure = json!({"endpoint": "azure", "base_url": "https://r.openai.azure.com", "deployment": "d"});
    assert_eq!(body(azure, &nameless)["model"], "d");
}

#[test]
fn limits_are_called_what_the_server_calls_them() {
    let limited = CompletionRequest {
        options: RequestOptions { max_tokens: Some(5), ..request().options },
        ..request()
    };
    let local = json!({"base_url": "http://127.0.0.1:9/v1"});
    let chosen = json!({"base_url": "http://127.0.0.1:9/v1", "max_tokens_field": "max_completion_tokens"});
    assert_eq!(body(local.clone(), &limited)["max_tokens"], 5);
    assert_eq!(body(chosen, &limited)["max_completion_tokens"], 5);
    assert_eq!(body(json!({"max_tokens": 6}), &request())["max_completion_tokens"], 6);
    assert_eq!(body(local, &request()).get("max_tokens"), None);
}

/// Configuration, model, whether `temperature` goes, the name of the limit.
#[test]
fn reasoning_models_are_sent_no_temperature_and_the_limit_by_its_later_name() {
    const LATER: &str = "max_completion_tokens";
    let azure = json!({"endpoint": "azure", "base_url": "https://r.openai.azure.com"});
    let named = json!({"endpoint": "azure", "base_url": "https://r.openai.azure.com", "deployment": "d"});
    let router = json!({"endpoint": "openrouter", "base_url": "https://openrouter.ai/api/v1"});
    let gateway = json!({"base_url": "http://127.0.0.1:9/v1"});
    for (config, model, temperature, limit) in [
        (json!({}), "o3", false, LATER),
        (json!({}), "gpt-5.2", false, LATER),
        (json!({}), "gpt-4.1", true, LATER),
        (azure.clone(), "o4-mini", false, LATER),
        (azure, "our-gpt-5-mini", false, LATER),
        (named, "gpt-5", false, LATER),
        (router.clone(), "openai/o3", false, "max_tokens"),
        (router.clone(), "openai/gpt-5-chat", true, "max_tokens"),
        (router, "google/gemini-3.5-flash", true, "max_tokens"),
        (gateway.clone(), "o3", false, LATER),
        (gateway.clone(), "openai/gpt-6-luna", false, LATER),
        (gateway, "qwen3-8b", true, "max_tokens"),
    ] {
        let mut request = request();
        request.options.model = Some(model.to_owned());
        request.options.temperature = Some(0.0);
        request.options.max_tokens = Some(7);
        let sent = body(config.clone(), &request);
        assert_eq!(sent.get("temperature").is_some(), temperature, "{config} {model}");
        assert_eq!(sent[limit], 7, "{config} {model}");
        // A user who insists gets it.
        request.options.extra_body.insert("temperature".into(), json!(0.3));
        assert_eq!(body(config, &request)["temperature"], json!(0.3), "{model}");
    }
}

#[test]
fn a_model_that_is_told_not_to_think_takes_a_temperature() {
    let mut request = request();
    request.options.model = Some("gpt-5.2".to_owned());
    request.options.temperature = Some(0.0);
    for (effort, taken) in [("none", true), ("low", false)] {
        request.options.extra_body.insert("reasoning_effort".into(), json!(effort));
        assert_eq!(body(json!({}), &request).get("temperature").is_some(), taken, "{effort}");
    }
}

#[test]
fn files_follow_the_last_message_of_the_user() {
    let request = CompletionRequest {
        attachments: vec![attachment("scan.png", "image/png"), attachment("", "application/pdf")],
        ..request()
    };
    assert_eq!(
        body(json!({}), &request)["messages"][1],
        json!({"role": "user", "content": [
            {"type": "text", "text": "A polyp.\u{2028}ß"},
            {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
            {"type": "file", "file": {"filename": "document.pdf", "file_data": "data:application/pdf;base64,AAAA"}},
        ]})
    );
    let odd = CompletionRequest { attachments: vec![attachment("a.zip", "application/zip")], ..request };
    let failure = encoded(json!({}), &odd).unwrap_err();
    assert_eq!(failure.status, abi::LC_INVALID_REQUEST);
    assert!(failure.error.message.contains("application/zip"), "{failure}");
}

#[test]
fn servers_that_know_no_schemas_find_it_in_the_prompt() {
    let request = CompletionRequest {
        schema: Some(json!({"type": "array", "items": {"type": "string"}})),
        ..request()
    };
    let none = body(json!({"json_mode": "none"}), &request);
    assert_eq!(none.get("response_format"), None);
    assert_eq!(
        none["messages"][0]["content"],
        "Extract.\n\nAnswer with one JSON value that follows this JSON Schema, and with nothing else:\n{\"type\":\"array\",\"items\":{\"type\":\"string\"}}"
    );
    // `json_object` means an object.
    let object = body(json!({"json_mode": "object"}), &request);
    assert_eq!(object["response_format"], json!({"type": "json_object"}));
    assert!(object["messages"][0]["content"].as_str().unwrap().contains("loopctl_answer"));
}

#[test]
fn strictness_can_be_waived() {
    let schema = json!({"type": "object", "properties": {"a": {"type": "string", "minLength": 1}}});
    let request = CompletionRequest { schema: Some(schema.clone()), ..request() };
    let sent = body(json!({"strict": false}), &request);
    assert_eq!(
        sent["response_format"]["json_schema"],
        json!({"name": "answer", "schema": schema, "strict": false})
    );
}

#[test]
fn extras_come_last() {
    let mut request = request();
    request.options.extra_body = json!({"top_p": 0.9, "model": "other"}).as_object().cloned().unwrap();
    request.options.extra_headers.insert("X-Title".into(), "loopctl".into());
    let http = encoded(json!({"organization": "org-1"}), &request).unwrap();
    assert_eq!(http.headers["x-title"], "loopctl");
    assert_eq!(http.headers["openai-organization"], "org-1");
    let body: Value = serde_json::from_str(&http.body).unwrap();
    assert_eq!((&body["top_p"], &body["model"]), (&json!(0.9), &json!("other")));
    request.options.extra_headers.insert("Authorization".into(), "Bearer mine".into());
    assert!(encoded(json!({}), &request).is_err());
}

#[test]
fn the_manifest_describes_every_configuration_of_these_tests() {
    let manifest: Value = serde_json::from_str(loopctl_openai::LOOPCTL_MANIFEST).unwrap();
    let schema = jsonschema::validator_for(&manifest["config_schema"]).unwrap();
    let all = json!({
        "model": "m", "endpoint": "azure", "base_url": "https://x.example", "allow_http": true, "api_version": "1",
        "deployment": "d", "organization": "o", "json_mode": "object", "strict": false, "max_tokens": 1,
        "max_tokens_field": "max_tokens",
    });
    assert!(schema.is_valid(&all));
    assert!(!schema.is_valid(&json!({"modle": "m"})));
    for secret in [
        "OPENAI_API_KEY",
        "AZURE_OPENAI_API_KEY",
        "OPENROUTER_API_KEY",
        "OLLAMA_API_KEY",
        "VLLM_API_KEY",
        "LLAMACPP_API_KEY",
        "LMSTUDIO_API_KEY",
    ] {
        assert!(manifest["secrets"].as_array().unwrap().contains(&json!(secret)), "{secret}");
    }
    let endpoints: Vec<_> =
        manifest["endpoints"].as_array().unwrap().iter().map(|e| e["name"].clone()).collect();
    assert_eq!(manifest["config_schema"]["properties"]["endpoint"]["enum"], json!(endpoints));
}
