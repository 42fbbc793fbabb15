//! The usage of an answer, from the counts that an API gives: in part, in its own parts, or not at all.

use serde_json::Value;

use super::place;
use crate::protocol::Usage;

/// A number of tokens, as far as an answer reports it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Count {
    /// It is this or more.
    pub least: u64,
    /// It is exactly that.
    pub whole: bool,
}

impl Count {
    const UNTOLD: Count = Count { least: 0, whole: false };

    /// A count that every answer has. One that is missing or makes no sense (negative, broken, no number) is unknown.
    pub fn told(body: &Value, pointer: &str) -> Self {
        match place(body, pointer) {
            Some(value) => whole_number(value).map_or(Self::UNTOLD, |least| Count { least, whole: true }),
            None => Self::UNTOLD,
        }
    }

    /// A count that an answer leaves out where it is 0.
    pub fn told_if_any(body: &Value, pointer: &str) -> Self {
        match place(body, pointer) {
            None | Some(Value::Null) => Count { least: 0, whole: true },
            Some(_) => Self::told(body, pointer),
        }
    }

    /// Both together.
    #[must_use]
    pub fn and(self, other: Count) -> Self {
        Count { least: self.least.saturating_add(other.least), whole: self.whole && other.whole }
    }
}

/// `120`, `120.0` and `"120"`, which is how Google writes numbers of 64 bits.
fn whole_number(value: &Value) -> Option<u64> {
    /// Beyond it not every whole number is a float.
    const MOST: f64 = 9_007_199_254_740_992.0;
    match value {
        Value::Number(number) => number.as_u64().or_else(|| {
            let float =
                number.as_f64().filter(|float| float.fract() == 0.0 && (0.0..=MOST).contains(float))?;
            // Without a cast, which would be silent about what it loses.
            format!("{float:.0}").parse().ok()
        }),
        Value::String(digits) => {
            let digits = digits.trim();
            let plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
            digits.parse().ok().filter(|_| plain)
        }
        _ => None,
    }
}

/// The tokens that were written to a cache.
#[derive(Debug, Clone, Copy)]
pub struct CacheWrites {
    /// To be kept for minutes.
    pub minutes: Count,
    /// To be kept for an hour.
    pub hour: Count,
}

impl CacheWrites {
    /// No tokens were.
    pub const NONE: CacheWrites =
        CacheWrites { minutes: Count { least: 0, whole: true }, hour: Count { least: 0, whole: true } };
}

/// The counts that an API reports for the tokens of one call.
#[derive(Debug, Clone, Copy)]
pub struct TokenCounts {
    /// Read, those that concern a cache included.
    pub input: Count,
    /// Of `input`, those read from a cache.
    pub cached: Count,
    /// Of `input`, those written to a cache.
    pub cache_writes: CacheWrites,
    /// Written. Thinking is part of it, unless it is in `thought`.
    pub written: Count,
    /// Thought, where an API counts that apart from what it calls written. It is paid for alike.
    pub thought: Count,
    /// Read and written, where an API reports that by itself.
    pub total: Option<u64>,
    /// True if the model has said anything, which takes tokens.
    pub answered: bool,
}

impl TokenCounts {
    /// The total of an answer.
    pub fn total(body: &Value, pointer: &str) -> Option<u64> {
        let total = Count::told(body, pointer);
        total.whole.then_some(total.least)
    }

    /// The usage of the call. What one count lacks is taken from the total; of counts that can't be, the rest is the
    /// least, and its cost is unknown: too little would let a budget be overrun.
    pub fn usage(self) -> Usage {
        // Every call reads something, and words are written.
        let input = Count { whole: self.input.whole && self.input.least > 0, ..self.input };
        let silent = self.answered && self.written.least == 0;
        let written = Count { whole: self.written.whole && !silent, ..self.written };
        let output = written.and(self.thought);
        let (input_tokens, output_tokens, told) = match self.total {
            None => (input.least, output.least, input.whole && output.whole),
            Some(total) if input.whole => {
                let rest = total.saturating_sub(input.least);
                let told = output.whole || rest > output.least || (!self.answered && total >= input.least);
                (input.least, output.least.max(rest), told)
            }
            Some(total) => (input.least.max(total.saturating_sub(output.least)), output.least, false),
        };
        if input_tokens == 0 && output_tokens == 0 {
            return Usage::default();
        }
        let CacheWrites { minutes, hour } = self.cache_writes;
        let concerned = minutes.least.saturating_add(hour.least);
        // More than was read is another way of counting, by which the input may be more, too.
        let fits = self.cached.least.saturating_add(concerned) <= input_tokens;
        let whole = self.cached.whole && minutes.whole && hour.whole;
        Usage {
            input_tokens,
            cached_input_tokens: if fits { self.cached.least } else { 0 },
            cache_write_tokens: if fits { minutes.least } else { 0 },
            cache_write_1h_tokens: if fits { hour.least } else { 0 },
            output_tokens,
            partial: !(told && fits && whole),
            cost_usd: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn count(value: Value) -> Count {
        Count::told(&json!({ "n": value }), "/n")
    }

    #[test]
    fn a_count_is_a_whole_number_however_it_is_written_and_nothing_else() {
        for (value, number) in [
            (json!(0), 0),
            (json!(120), 120),
            (json!(120.0), 120),
            (json!("120"), 120),
            (json!(" 7 "), 7),
            (json!(1e3), 1000),
            (json!(u64::MAX), u64::MAX),
        ] {
            assert_eq!(count(value.clone()), Count { least: number, whole: true }, "{value}");
        }
        for odd in [
            json!(-1),
            json!(-1.0),
            json!(1.5),
            json!(1e300),
            json!("many"),
            json!(""),
            json!("-3"),
            json!("+3"),
            json!("1e3"),
            json!("99999999999999999999"),
            json!(true),
            json!([3]),
            json!({"n": 3}),
            json!(null),
        ] {
            assert_eq!(count(odd.clone()), Count::UNTOLD, "{odd}");
            let left_out = Count::told_if_any(&json!({ "n": odd }), "/n");
            assert_eq!(left_out, Count { least: 0, whole: odd.is_null() }, "{odd}");
        }
        assert_eq!(Count::told(&json!({}), "/n"), Count::UNTOLD);
        assert_eq!(Count::told_if_any(&json!({}), "/n"), Count { least: 0, whole: true });
    }

    const NOTHING: Count = Count { least: 0, whole: true };

    fn told(least: u64) -> Count {
        Count { least, whole: true }
    }

    /// Input, written, thought, total, whether the model said anything; input, output, and whether that is all.
    #[test]
    fn what_a_count_lacks_is_taken_from_the_total_or_said_to_be_unknown() {
        let untold = Count::UNTOLD;
        for (input, written, thought, total, answered, expected) in [
            (told(1000), told(100), NOTHING, Some(1100), true, (1000, 100, true)),
            (told(1000), told(100), NOTHING, None, true, (1000, 100, true)),
            (told(1000), untold, NOTHING, Some(1100), true, (1000, 100, true)),
            (told(1000), untold, told(60), Some(1100), true, (1000, 100, true)),
            // Thinking is in the total alone.
            (told(1000), told(20), NOTHING, Some(1100), true, (1000, 100, true)),
            (told(1000), told(20), untold, Some(1100), true, (1000, 100, true)),
            (told(1000), told(20), untold, None, true, (1000, 20, false)),
            // All of the rest was thought, and yet there are words.
            (told(1000), untold, told(100), Some(1100), true, (1000, 100, false)),
            (told(1000), told(0), told(100), Some(1100), true, (1000, 100, false)),
            (told(1000), untold, told(100), Some(1100), false, (1000, 100, true)),
            (told(1000), untold, NOTHING, Some(1000), true, (1000, 0, false)),
            (told(1000), untold, NOTHING, Some(1000), false, (1000, 0, true)),
            (told(1000), untold, NOTHING, Some(900), false, (1000, 0, false)),
            (told(1000), untold, NOTHING, None, true, (1000, 0, false)),
            (told(1000), told(0), NOTHING, None, true, (1000, 0, false)),
            (told(1000), told(0), NOTHING, None, false, (1000, 0, true)),
            // How much of the total was read decides the price.
            (untold, told(100), NOTHING, Some(1100), true, (1000, 100, false)),
            (untold, told(100), NOTHING, None, true, (0, 100, false)),
            (told(0), told(100), NOTHING, Some(1100), true, (1000, 100, false)),
            (untold, untold, NOTHING, Some(1100), true, (1100, 0, false)),
        ] {
            let counts = TokenCounts {
                input,
                cached: NOTHING,
                cache_writes: CacheWrites::NONE,
                written,
                thought,
                total,
                answered,
            };
            let usage = counts.usage();
            let found = (usage.input_tokens, usage.output_tokens, !usage.partial);
            assert_eq!(found, expected, "{counts:?}");
        }
    }

    #[test]
    fn nothing_told_is_nothing() {
        let counts = TokenCounts {
            input: Count::UNTOLD,
            cached: NOTHING,
            cache_writes: CacheWrites::NONE,
            written: Count::UNTOLD,
            thought: NOTHING,
            total: None,
            answered: true,
        };
        assert_eq!(counts.usage(), Usage::default());
    }

    #[test]
    fn what_concerns_a_cache_is_part_of_what_was_read() {
        let counts = |cached, minutes, hour| TokenCounts {
            input: told(100),
            cached,
            cache_writes: CacheWrites { minutes, hour },
            written: told(10),
            thought: NOTHING,
            total: None,
            answered: true,
        };
        let usage = counts(told(20), told(30), told(50)).usage();
        assert_eq!(
            (usage.cached_input_tokens, usage.cache_write_tokens, usage.cache_write_1h_tokens, usage.partial),
            (20, 30, 50, false)
        );
        for odd in [
            counts(told(101), NOTHING, NOTHING),
            counts(told(60), told(41), NOTHING),
            counts(Count::UNTOLD, NOTHING, NOTHING),
            counts(NOTHING, Count::UNTOLD, NOTHING),
            counts(NOTHING, NOTHING, Count::UNTOLD),
        ] {
            let usage = odd.usage();
            assert!(usage.partial, "{odd:?}");
            assert_eq!((usage.input_tokens, usage.output_tokens, usage.cost_usd), (100, 10, None));
        }
    }
}
