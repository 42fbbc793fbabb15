//! `loopctl` as a process of its own that talks to a vendor.

use super::api::Api;
use super::server::Vendor;
use crate::workspace::Workspace;
use assert_cmd::Command;
use serde_json::{Value, json};

/// Variables whose names begin so may be set on the machine that runs the tests.
const FOREIGN: [&str; 12] = [
    "OPENAI_",
    "AZURE_",
    "ANTHROPIC_",
    "GEMINI_",
    "GOOGLE_",
    "OLLAMA_",
    "OPENROUTER_",
    "VLLM_",
    "LLAMACPP_",
    "LMSTUDIO_",
    "HTTP",
    "ALL_PROXY",
];

/// The report that README shows, and what a model that reads it well says of it.
pub(super) const REPORT: &str = include_str!("../../../examples/reports/liver-resection.txt");

/// An extraction that the profile `clinical` accepts at once.
pub(super) fn whole() -> Value {
    json!({
        "histology": "hepatocellular carcinoma, usual type",
        "grade": "Grade 3 (of 4)",
        "margins": "The surgical margins are free of tumor",
        "ihcMarkers_status": "not_present",
        "date_status": "not_present",
        "institution_status": "not_present",
    })
}

/// One that lacks the grade, and is sent back.
pub(super) fn lacking() -> Value {
    let mut value = whole();
    value.as_object_mut().unwrap().remove("grade");
    value
}

/// `loopctl`, with the vendor's address set as a user would set it: by environment variables.
pub(super) fn loopctl(
    place: &Workspace,
    api: Api,
    vendor: &Vendor,
    key: Option<&str>,
    arguments: &[&str],
) -> Command {
    let mut command = place.loopctl(arguments);
    for (name, _) in std::env::vars_os() {
        let upper = name.to_string_lossy().to_ascii_uppercase();
        if FOREIGN.iter().any(|foreign| upper.starts_with(foreign)) {
            command.env_remove(name);
        }
    }
    let url = vendor.url();
    let (place, variable) = match api {
        Api::OpenAi => ("OPENAI_BASE_URL", format!("{url}/v1")),
        Api::Azure => ("AZURE_OPENAI_ENDPOINT", url),
        Api::Anthropic => ("ANTHROPIC_BASE_URL", url),
        Api::Gemini => ("GEMINI_BASE_URL", url),
    };
    command.env(place, variable);
    if api == Api::Azure {
        command.env("AZURE_OPENAI_API_VERSION", "2024-10-21");
    }
    if let Some(key) = key {
        command.env(key_variable(api), key);
    }
    command
}

/// The variable in which the key is looked for.
pub(super) fn key_variable(api: Api) -> &'static str {
    match api {
        Api::OpenAi => "OPENAI_API_KEY",
        Api::Azure => "AZURE_OPENAI_API_KEY",
        Api::Anthropic => "ANTHROPIC_API_KEY",
        Api::Gemini => "GEMINI_API_KEY",
    }
}
