//! The cost of a path, estimated from its text before the library is given it.

use super::PathError;
use serde_json::Value;

/// Most parts (`..`) that inspect everything below a value, and most filters that start from the root again.
const MOST_DESCENTS: u32 = 3;
/// Most ways in which one value may be selected by selectors that are side by side.
const MOST_TIMES: u64 = 1_000;
/// Most bytes of the compiled form of a pattern in `search()` or `match()`.
const MOST_PATTERN_BYTES: usize = 1 << 20;

/// The number of times that a path may inspect one value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Growth {
    /// The number of its parts that inspect everything below a value.
    descents: u32,
    /// The number of its selectors that may select the same value, multiplied over its brackets.
    times: u64,
    /// The number of queries in its filters that start from the root again.
    from_root: u32,
}

impl Growth {
    /// Estimates it from a path that the library has found valid.
    pub(super) fn of(text: &str) -> Result<Self, PathError> {
        let mut growth = Growth { descents: 0, times: 1, from_root: 0 };
        // For each bracket that is open: the number of its selectors by kind or condition, and the names so far.
        let mut open: Vec<Option<Selectors<'_>>> = Vec::new();
        let mut rest = text;
        let mut first = true;
        while let Some(c) = rest.chars().next() {
            let after = rest.get(c.len_utf8()..).unwrap_or_default();
            let (token, next) = match c {
                '\'' | '"' => quoted_end(rest, c),
                '.' if after.starts_with('.') => (c, after.get(1..).unwrap_or_default()),
                _ => (c, after),
            };
            match token {
                '.' if after.starts_with('.') => growth.descents += 1,
                '$' if !first => growth.from_root += 1,
                // Brackets of a function or a condition select nothing.
                '(' => {
                    check_pattern(text, rest)?;
                    open.push(None);
                }
                '[' => open.push(Some(Selectors::default())),
                ']' | ')' => {
                    if let Some(Some(selectors)) = open.pop() {
                        growth.times = growth.times.saturating_mul(selectors.times());
                    }
                }
                ',' => {
                    if let Some(Some(selectors)) = open.last_mut() {
                        selectors.next();
                    }
                }
                _ => {
                    if let Some(Some(selectors)) = open.last_mut() {
                        selectors.add(rest, next);
                    }
                }
            }
            first &= c.is_whitespace();
            rest = next;
        }
        match growth {
            Growth { descents, .. } if descents > MOST_DESCENTS => Err(costly(&format!(
                "it looks at everything below a value (`..`) more than {MOST_DESCENTS} times"
            ))),
            Growth { from_root, .. } if from_root > MOST_DESCENTS => {
                Err(costly(&format!("its filters start from the root more than {MOST_DESCENTS} times")))
            }
            Growth { times, .. } if times > MOST_TIMES => {
                Err(costly(&format!("its brackets may select one value more than {MOST_TIMES} times")))
            }
            growth => Ok(growth),
        }
    }

    /// The most values that it may inspect in this one.
    pub(super) fn steps(self, root: &Value) -> u64 {
        let (nodes, levels) = size(root);
        let descents = levels.max(1).saturating_pow(self.descents.saturating_sub(1));
        let again = nodes.saturating_pow(self.from_root);
        nodes.saturating_mul(descents).saturating_mul(again).saturating_mul(self.times)
    }
}

/// The selectors of one bracket.
#[derive(Debug, Default)]
struct Selectors<'t> {
    /// Complete ones that select by kind, position or condition.
    others: u64,
    names: Vec<&'t str>,
    /// Names that appear twice.
    twice: u64,
    /// `true` if the one that is being read is a name; `None` before it begins.
    is_name: Option<bool>,
}

impl<'t> Selectors<'t> {
    fn add(&mut self, rest: &'t str, next: &str) {
        let token = rest.get(..rest.len().saturating_sub(next.len())).unwrap_or_default();
        if self.is_name.is_some() || token.trim().is_empty() {
            return;
        }
        let is_name = token.starts_with(['\'', '"']);
        if is_name {
            let name = token.trim_matches(['\'', '"']);
            // The same name may be written in two ways.
            self.twice += u64::from(name.contains('\\') || self.names.contains(&name));
            self.names.push(name);
        }
        self.is_name = Some(is_name);
    }

    fn next(&mut self) {
        self.others += u64::from(self.is_name == Some(false));
        self.is_name = None;
    }

    /// The number of them that may select the same value.
    fn times(mut self) -> u64 {
        self.next();
        (self.others + self.twice + u64::from(!self.names.is_empty())).max(1)
    }
}

/// The first character of a quoted text, and what follows it.
fn quoted_end(text: &str, quote: char) -> (char, &str) {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == quote => return (quote, text.get(at + c.len_utf8()..).unwrap_or_default()),
            _ => {}
        }
    }
    (quote, "")
}

/// Checks the pattern of `search(…, '…')` and `match(…, '…')`, whose bracket `rest` begins with. The library compiles
/// it for each value, and treats one that can't be compiled as one that nothing matches.
fn check_pattern(text: &str, rest: &str) -> Result<(), PathError> {
    let position = text.len() - rest.len();
    let before = text.get(..position).unwrap_or_default().trim_end();
    if !(before.ends_with("search") || before.ends_with("match")) {
        return Ok(());
    }
    let mut inside = rest.get(1..).unwrap_or_default();
    let (mut depth, mut argument) = (0_usize, 0_usize);
    while let Some(c) = inside.chars().next() {
        let after = inside.get(c.len_utf8()..).unwrap_or_default();
        match c {
            '\'' | '"' => {
                let (_, behind) = quoted_end(inside, c);
                if argument == 1 && depth == 0 {
                    let written = inside.get(1..inside.len() - behind.len() - 1).unwrap_or_default();
                    return pattern(written).map_err(|message| PathError { message, position });
                }
                inside = behind;
                continue;
            }
            '(' | '[' => depth += 1,
            ')' if depth == 0 => break,
            ')' | ']' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => argument += 1,
            _ => {}
        }
        inside = after;
    }
    // A pattern that the document gives could be any.
    if argument == 0 {
        return Ok(());
    }
    let message = "the pattern of `search` and `match` must be a text in quotes".to_owned();
    Err(PathError { message, position })
}

fn pattern(written: &str) -> Result<(), String> {
    let pattern = written.replace("\\\\", "\\");
    let built = regex::RegexBuilder::new(&pattern).size_limit(MOST_PATTERN_BYTES).build();
    match built {
        Ok(_) => Ok(()),
        Err(regex::Error::CompiledTooBig(_)) => Err("the pattern in it is too large".to_owned()),
        Err(_) => Err("the pattern in it is not a regular expression".to_owned()),
    }
}

pub(super) fn costly(message: &str) -> PathError {
    PathError { message: message.to_owned(), position: 0 }
}

/// The number of values in a value, itself included, and the number of levels.
fn size(value: &Value) -> (u64, u64) {
    let below = |all: (u64, u64), item: &Value| {
        let (nodes, levels) = size(item);
        (all.0 + nodes, all.1.max(levels + 1))
    };
    match value {
        Value::Array(items) => items.iter().fold((1, 1), below),
        Value::Object(members) => members.values().fold((1, 1), below),
        _ => (1, 1),
    }
}
