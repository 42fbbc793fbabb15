//! The parameters that a model of Anthropic's takes, inferred from its name.
//!
//! Later models take less than earlier ones, so a model that isn't known counts as the latest. Names without `claude`
//! in them are other servers' own: only they know how those treat a request.

/// Families that never took what later models of the others stopped taking.
const ALWAYS_THINK: &[&str] = &["fable", "mythos"];

/// Returns whether `tool_choice` may name the tool that must be called: up to Opus 5 and Sonnet 5.
pub(crate) fn takes_forced_tool(model: &str) -> bool {
    is_up_to(model, (5, 0))
}

/// Returns whether `temperature` may be set: up to Opus 4.6, Sonnet 4.6 and Haiku 4.5.
pub(crate) fn takes_temperature(model: &str) -> bool {
    is_up_to(model, (4, 6))
}

fn is_up_to(model: &str, latest: (u32, u32)) -> bool {
    let model = model.to_ascii_lowercase();
    let Some((_, name)) = model.split_once("claude") else { return true };
    !ALWAYS_THINK.iter().any(|family| name.contains(family))
        && generation(name).is_some_and(|generation| generation <= latest)
}

/// `(4, 5)` of `-sonnet-4-5-20250929`, `(3, 0)` of `-3-haiku-20240307`, `(2, 1)` of `-2.1`.
fn generation(name: &str) -> Option<(u32, u32)> {
    let number = |part: &str| {
        // Longer ones are dates.
        ((1..=2).contains(&part.len())).then(|| part.parse::<u32>().ok()).flatten()
    };
    let mut parts = name.split(['-', '.', '@', ':']).skip_while(|part| number(part).is_none());
    let major = number(parts.next()?)?;
    Some((major, parts.next().and_then(number).unwrap_or(0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generations_stand_anywhere_in_a_name() {
        let cases = [
            ("claude-2.1", true, true),
            ("claude-3-haiku-20240307", true, true),
            ("claude-3-5-sonnet-20241022", true, true),
            ("claude-opus-4-20250514", true, true),
            ("us.anthropic.claude-sonnet-4-5-20250929-v1:0", true, true),
            ("claude-haiku-4-5@20251001", true, true),
            ("anthropic/claude-opus-4.6", true, true),
            ("claude-opus-4-7", true, false),
            ("claude-opus-4-10", true, false),
            ("claude-opus-5", true, false),
            ("Claude-Sonnet-5-20260601", true, false),
            ("claude-opus-5-5", false, false),
            ("claude-sonnet-5-5", false, false),
            ("claude-haiku-5-5", false, false),
            ("claude-fable-5", false, false),
            ("anthropic/claude-mythos-5-1", false, false),
            ("claude-latest", false, false),
            ("any", true, true),
            ("qwen3-8b", true, true),
        ];
        for (model, tool, temperature) in cases {
            assert_eq!((takes_forced_tool(model), takes_temperature(model)), (tool, temperature), "{model}");
        }
    }
}
