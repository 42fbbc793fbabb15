//! Patterns of digits: how many are shown, and the words around and between them.

use super::FormatToken;

/// The most digits behind the decimal sign.
const MOST_DECIMALS: usize = 15;

/// A pattern of digits.
#[derive(Debug, Clone, Default)]
pub(super) struct NumberPattern {
    /// The words before the first digit.
    before: String,
    /// Digits before the decimal sign, with words between them: `true` for those that are always shown.
    whole: Vec<PatternPart>,
    /// The least and the most digits behind the decimal sign.
    decimals: (usize, usize),
    after: String,
    /// The factor by which the number is multiplied: 100 for percent, a thousandth for each comma at the end.
    percents: usize,
    thousands: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum PatternPart {
    Digit { is_always: bool },
    Words(String),
}

impl NumberPattern {
    pub(super) fn of(tokens: &[FormatToken]) -> Self {
        let mut pattern = NumberPattern::default();
        let is_digit = |token: &FormatToken| matches!(token, FormatToken::Sign('0' | '#' | '?'));
        let last = tokens.iter().rposition(is_digit).unwrap_or_default();
        let mut is_behind_point = false;
        let mut has_begun = false;
        for (at, token) in tokens.iter().enumerate() {
            match token {
                FormatToken::Sign(sign @ ('0' | '#' | '?')) => {
                    has_begun = true;
                    let is_always = *sign == '0';
                    if is_behind_point {
                        let (least, most) = &mut pattern.decimals;
                        *most = (*most + 1).min(MOST_DECIMALS);
                        if is_always {
                            *least = *most;
                        }
                    } else {
                        pattern.whole.push(PatternPart::Digit { is_always });
                    }
                }
                FormatToken::Sign('.') if has_begun || at < last => {
                    is_behind_point = true;
                    has_begun = true;
                }
                FormatToken::Sign(',') if has_begun => {
                    if at > last {
                        pattern.thousands += 1;
                    }
                }
                FormatToken::Sign(sign) => {
                    pattern.percents += usize::from(*sign == '%');
                    pattern.words(&sign.to_string(), has_begun, is_behind_point || at > last);
                }
                FormatToken::Literal(text) => pattern.words(text, has_begun, is_behind_point || at > last),
                FormatToken::Bracket(_) | FormatToken::Next => {}
            }
        }
        pattern
    }

    fn words(&mut self, words: &str, has_begun: bool, is_behind: bool) {
        if !has_begun {
            self.before.push_str(words);
        } else if is_behind {
            self.after.push_str(words);
        } else {
            self.whole.push(PatternPart::Words(words.to_owned()));
        }
    }

    /// A number in this pattern.
    pub(super) fn print(&self, value: f64) -> String {
        let mut scaled = value.abs();
        for _ in 0..self.percents.min(4) {
            scaled *= 100.0;
        }
        for _ in 0..self.thousands.min(6) {
            scaled /= 1000.0;
        }
        let (least, most) = self.decimals;
        // Halves are rounded up, as on paper; a digit that only binary numbers have is none.
        let rounded: f64 = format!("{scaled:.14e}").parse().unwrap_or(scaled);
        let printed = decimal_rounded(rounded, most);
        let (whole, decimals) = printed.split_once('.').unwrap_or((&printed, ""));
        let kept = decimals.trim_end_matches('0').len().max(least).min(decimals.len());
        let decimals = decimals.get(..kept).unwrap_or_default();
        let is_zero = !printed.contains(|c: char| matches!(c, '1'..='9'));
        let sign = if value < 0.0 && !is_zero { "-" } else { "" };
        let point = if decimals.is_empty() { "" } else { "." };
        format!(
            "{sign}{}{}{point}{decimals}{}",
            self.before,
            self.whole_part(whole, !point.is_empty()),
            self.after
        )
    }

    /// The digits before the decimal sign, each in its place from the right.
    fn whole_part(&self, digits: &str, has_decimals: bool) -> String {
        let places = self.whole.iter().filter(|part| matches!(part, PatternPart::Digit { .. })).count();
        let mut digits: Vec<char> = if digits == "0" { Vec::new() } else { digits.chars().collect() };
        let mut parts: Vec<String> = Vec::new();
        let mut seen = 0;
        for part in self.whole.iter().rev() {
            match part {
                PatternPart::Words(words) => parts.push(words.clone()),
                PatternPart::Digit { is_always } => {
                    seen += 1;
                    match digits.pop() {
                        Some(digit) => parts.push(digit.to_string()),
                        None if *is_always => parts.push("0".to_owned()),
                        // `.5` is easily read as 5.
                        None if has_decimals && seen == 1 => parts.push("0".to_owned()),
                        None => {}
                    }
                    if seen == places {
                        parts.push(std::mem::take(&mut digits).into_iter().collect());
                    }
                }
            }
        }
        if places == 0 {
            parts.push(if digits.is_empty() { "0".to_owned() } else { digits.into_iter().collect() });
        }
        parts.reverse();
        parts.concat()
    }
}

/// A number with so many decimals, halves rounded up.
fn decimal_rounded(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    // The shortest text of a number has the half that its bits are a little below.
    let shortest = format!("{value}");
    let is_half =
        shortest.split_once('.').is_some_and(|(_, own)| own.len() == decimals + 1 && own.ends_with('5'));
    if !is_half {
        return text;
    }
    let up = format!("{:.decimals$}", value + 10f64.powi(-i32::try_from(decimals).unwrap_or(0)) * 0.1);
    if up == text { text } else { up }
}
