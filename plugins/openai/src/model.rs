//! The parameters that a model of OpenAI's takes, inferred from its name, whatever a gateway or a deployment has put
//! before it. Names that aren't like OpenAI's are other servers' own: only they know how those treat a request.

use loopctl_plugin_sdk::protocol::CompletionRequest;

/// Returns whether the model reasons before it answers: the o series, and GPT-5 and all later ones. GPT-5's chat model
/// alone does not; those of 5.1 and later do.
pub(crate) fn reasons(model: &str) -> bool {
    let model = model.to_ascii_lowercase();
    model.split(['/', ':']).any(is_of_the_o_series)
        || model.split_once("gpt-").is_some_and(|(_, version)| {
            // The first digit alone: a deployment of GPT-3.5 is `gpt-35-turbo` at Azure.
            version.starts_with(|c: char| ('5'..='9').contains(&c)) && !version.starts_with("5-chat")
        })
}

/// `o3`, `o4-mini-2025-04-16`.
fn is_of_the_o_series(name: &str) -> bool {
    let Some(number) = name.split('-').next().and_then(|first| first.strip_prefix('o')) else { return false };
    (1..=2).contains(&number.len()) && number.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns whether `temperature` may be set: not where the model reasons, unless it is told not to.
pub(crate) fn takes_temperature(model: &str, request: &CompletionRequest) -> bool {
    let extra = &request.options.extra_body;
    let effort = extra.get("reasoning_effort").or_else(|| extra.get("reasoning")?.get("effort"));
    !reasons(model) || effort.is_some_and(|effort| effort == "none")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasoning_models_are_known_by_their_names() {
        for model in [
            "o1",
            "o1-pro-2025-03-19",
            "o3-mini",
            "O4-mini",
            "openai/o3",
            "openai/o3:online",
            "ft:o4-mini-2025-04-16:clinic::7p4lURel",
            "gpt-5",
            "gpt-5-nano-2025-08-07",
            "gpt-5.1",
            "gpt-5.2-chat-latest",
            "gpt-5.6-luna",
            "gpt-6-astra",
            "openai/gpt-5.2",
            "openai.gpt-5-mini",
            "ward-7-gpt-5-mini",
        ] {
            assert!(reasons(model), "{model}");
        }
        for model in [
            "gpt-5-chat-latest",
            "openai/gpt-5-chat",
            "gpt-4o",
            "gpt-4.1-mini",
            "gpt-35-turbo",
            "gpt-4-32k",
            "chatgpt-4o-latest",
            "gpt-oss-120b",
            "marco-o1",
            "olmo-2",
            "o200k",
            "qwen3-8b",
            "any",
            "",
        ] {
            assert!(!reasons(model), "{model}");
        }
    }
}
