//! Masks the parts of a source line that could be secrets: diagnostics end up in logs, tickets and chats.

use regex::Regex;
use std::sync::LazyLock;

/// Each with the secret as the group `secret`.
const PATTERNS: [&str; 4] = [
    // The value of a key with such a name, quoted or to the end of it.
    r#"(?i)\b[\w-]*(?:api[-_]?key|token|secret|passw(?:or)?d|authorization|credentials?|cookie)["']?[ \t]*:[ \t]*(?:"(?P<secret>[^"\n]+)|'(?P<quoted>[^'\n]+)|(?P<plain>[^\s"'\[{$,}#]#*(?:[^,}\n# ]#*| +[^,}\n# ]#*)*))"#,
    // As vendors write them, wherever they appear.
    r"\b(?P<secret>(?:(?:sk|pk|rk|xai|gsk|hf|ghp)[-_]|AIza)[-_A-Za-z0-9]{16,})",
    r"(?i)\bbearer\s+(?P<secret>[-._~+/A-Za-z0-9]{8,}=*)",
    // The password of a URL.
    r"://[^\s/@?#:]*:(?P<secret>[^\s/@?#]+)@",
];

/// Returns the text, at its full length, with `*` in place of anything that could be a secret. References to variables,
/// truth values and `null` are not masked.
pub(super) fn masked(text: &str) -> String {
    static FOUND: LazyLock<Vec<Regex>> =
        LazyLock::new(|| PATTERNS.iter().filter_map(|pattern| Regex::new(pattern).ok()).collect());
    let mut masked = text.to_owned();
    for pattern in FOUND.iter() {
        let secrets: Vec<_> = pattern
            .captures_iter(&masked)
            .filter_map(|found| ["secret", "quoted", "plain"].iter().find_map(|group| found.name(group)))
            .filter(|secret| !secret.as_str().starts_with("${"))
            .filter(|secret| !matches!(secret.as_str().trim(), "true" | "false" | "null"))
            .map(|secret| secret.start()..secret.start() + secret.as_str().trim_end().len())
            .collect();
        for secret in secrets {
            masked.replace_range(secret.clone(), &"*".repeat(secret.len()));
        }
    }
    masked
}

#[cfg(test)]
mod tests {
    use super::masked;

    #[test]
    fn what_could_be_a_secret_is_not_shown() {
        for (text, shown) in [
            ("config: { api_key: sk-123, n: 1 }", "config: { api_key: ******, n: 1 }"),
            (r#"{"x-api-key": "a b", "n": 1}"#, r#"{"x-api-key": "***", "n": 1}"#),
            ("authorization: Bearer abc.def  # mine", "authorization: **************  # mine"),
            ("password: 'hush'", "password: '****'"),
            ("password: a#b  c #d", "password: ****** #d"),
            ("note: sk-abcdefghijklmnop01", "note: *********************"),
            ("note: use Bearer abcdefgh12", "note: use Bearer **********"),
            ("proxy: http://me:hush@host:80/", "proxy: http://me:****@host:80/"),
            ("client_secret: é", "client_secret: **"),
        ] {
            assert_eq!(masked(text), shown);
        }
    }

    #[test]
    fn other_settings_are() {
        for text in [
            "budget: { tokens: 300, cost_usd: 0.1 }",
            "token: true",
            "api_key: ${OPENAI_API_KEY}",
            "authors: [Jane Doe]",
            "max_tokens: 900",
            "secret:\n  a: b",
            "provider: openai:gpt-5.2",
            "task-skeleton_of_the_document_type: 1",
        ] {
            assert_eq!(masked(text), text);
        }
    }
}
