//! The prices of models: tables in YAML that anyone can edit.
//!
//! ```yaml
//! prices:
//!   - provider: openai
//!     models: [gpt-5-mini, "gpt-5-mini-????-??-??"]
//!     input: 0.25           # US dollars per million tokens
//!     cached_input: 0.025
//!     cache_write: 0.3125   # of tokens that the provider writes to its cache; `cache_write_1h`, for an hour
//!     output: 2.00
//!     batch: 0.5            # what part of it a call costs in the vendor's batches
//!     as_of: 2026-11-05
//!     source: https://developers.openai.com/api/docs/pricing
//! ```
//!
//! Of the patterns that fit, the one with the most characters that are not wildcards decides; of two with as many, the
//! first. A nearer table that has a fitting pattern decides before a farther one is consulted.

use std::sync::{Arc, LazyLock};

use loopctl_plugin_sdk::protocol::Usage;

use crate::diag::{Code, Problem, Problems, SourceFile};
use crate::mapping;
use crate::value::Usd;
use crate::value::decode::Decode;
use crate::value::shape::Shape;
use crate::value::yaml::{Node, parse};

/// The table that ships with loopctl.
const SHIPPED: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../prices.yaml"));

/// The highest price, in US dollars per million tokens: a bound on what a typo can make of a budget.
const HIGHEST_PRICE: f64 = 100_000.0;

/// Price tables, nearest first.
#[derive(Debug, Clone, Default)]
pub struct Prices {
    tables: Vec<Arc<[Price]>>,
}

mapping! {
    /// The prices of models, in US dollars per million tokens: `prices.yaml` in the working directory or in
    /// `$LOOPCTL_HOME`, or a file named with `--prices`. These come before the table that ships with loopctl.
    "prices" is "price table";
    pub struct PriceTable {
        /// The prices. Of the patterns that fit a model, the one with the most characters that are not wildcards
        /// decides.
        #[key(
            required,
            examples(&["[{ provider: openai, models: [gpt-5-mini], input: 0.25, output: 2.00, as_of: 2026-11-05 }]"])
        )]
        prices: Vec<Price>,
    }
}

mapping! {
    /// The prices of some models of a provider. The cost of a model that no entry fits is unknown.
    "price" is "price", expects "`{ provider, models, input, output, as_of }`";
    #[derive(Debug, Clone, PartialEq)]
    pub struct Price {
        /// A plugin, or one of its endpoints.
        #[key(required, text("a plugin or one of its endpoints"), examples(&["openai", "ollama"]))]
        pub provider: String,
        /// Names of models. `*` matches any text, `?` for any one character; upper and lower case count alike.
        #[key(required, examples(&["[gpt-5-mini, 'gpt-5-mini-????-??-??']", "['*']"]))]
        pub models: Vec<String> = models,
        /// The prices of these models.
        #[key(flatten)]
        pub rates: Rates,
        /// Other prices for the whole call when its prompt is long. Without it length does not matter.
        #[key(examples(&["{ above: 200000, input: 2.50, output: 15.00 }"]))]
        pub long_prompt: Option<LongPrompt>,
        /// The fraction of these prices that a call costs as a line of a provider's batch: 0 to 1. Without it, the full
        /// price.
        // Better too much than too little.
        #[key(number(0.0, 1.0), examples(&["0.5"]))]
        pub batch: Option<f64>,
        /// The date on which the prices were looked up.
        #[key(
            required,
            shaped(|| Shape::text_like(
                "a date such as `2026-11-05`",
                r"^[0-9]{4}-?(0[1-9]|1[0-2])-?(0[1-9]|[12][0-9]|3[01])"
            )),
            examples(&["2026-11-05"])
        )]
        pub as_of: String = date,
        /// The address at which the prices were looked up.
        #[key(examples(&["https://example.com/pricing"]))]
        pub source: Option<String>,
    }
}

mapping! {
    /// Prices in US dollars per million tokens.
    "rates" is "set of prices";
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub struct Rates {
        /// A million tokens that are read, in US dollars: 0 to 100000.
        #[key(number(0.0, HIGHEST_PRICE), required, examples(&["0.25"]))]
        pub input: f64,
        /// A million tokens that are read and that the provider had cached, in US dollars. Without it, as `input`.
        // Better too much than too little.
        #[key(number(0.0, HIGHEST_PRICE), examples(&["0.025"]))]
        pub cached_input: f64 => |_| input.unwrap_or_default(),
        /// A million tokens that are read and that the provider writes to its cache, in US dollars. Without it, the
        /// cost of a call that writes to a cache is unknown.
        #[key(number(0.0, HIGHEST_PRICE), examples(&["0.3125"]))]
        pub cache_write: Option<f64>,
        /// Like `cache_write`, for tokens that the cache keeps for an hour.
        #[key(number(0.0, HIGHEST_PRICE), examples(&["0.50"]))]
        pub cache_write_1h: Option<f64>,
        /// A million tokens that are written, in US dollars: 0 to 100000.
        #[key(number(0.0, HIGHEST_PRICE), required, examples(&["2.00"]))]
        pub output: f64,
    }
}

mapping! {
    /// Other prices for all tokens of a call whose prompt is long.
    "long_prompt" is "price of long prompts", expects "`{ above, input, output }`";
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub struct LongPrompt {
        /// These prices hold for prompts of more input tokens than this.
        #[key(required, examples(&["200000"]))]
        pub above: u64,
        /// The prices.
        #[key(flatten)]
        pub rates: Rates,
    }
}

fn models(node: &Node, problems: &mut Problems) -> Option<Vec<String>> {
    let models = Vec::decode(node, problems)?;
    if models.is_empty() {
        let problem = Problem::error(Code::Empty, &node.span, "a price without models applies to nothing");
        problems.push(problem.help("name models, or write `[\"*\"]` for all of the provider"));
    }
    Some(models)
}

fn date(node: &Node, problems: &mut Problems) -> Option<String> {
    let date = String::decode(node, problems)?;
    if date.parse::<jiff::civil::Date>().is_err() {
        let message = format!("expected a date such as `2026-11-05`, found `{date}`");
        problems.push(Problem::error(Code::OutOfRange, &node.span, message));
    }
    Some(date)
}

impl Prices {
    /// No prices at all: every cost that a provider does not report is unknown.
    #[must_use]
    pub fn none() -> Self {
        Prices::default()
    }

    /// The table that ships with loopctl.
    #[must_use]
    pub fn shipped() -> Self {
        static TABLE: LazyLock<Prices> = LazyLock::new(|| {
            let file = SourceFile::shipped("prices.yaml", SHIPPED);
            Prices::parse(&file, &mut Problems::new()).unwrap_or_default()
        });
        TABLE.clone()
    }

    /// Reads a table. Every problem is pushed.
    pub fn parse(file: &Arc<SourceFile>, problems: &mut Problems) -> Option<Self> {
        let node = parse(file, problems)?;
        let table = PriceTable::read_mapping(&node, problems)?;
        Some(Prices { tables: vec![table.prices.into()] })
    }

    /// These tables, then those of `farther`.
    #[must_use]
    pub fn before(mut self, farther: Prices) -> Self {
        self.tables.extend(farther.tables);
        self
    }

    /// Returns whether any table charges for a provider.
    #[must_use]
    pub fn charges(&self, provider: &str) -> bool {
        let of_provider = |price: &&Price| price.provider.eq_ignore_ascii_case(provider);
        self.tables.iter().flat_map(|table| table.iter()).filter(of_provider).any(|price| !price.is_free())
    }

    /// Returns whether the price of a model is 0, though its provider charges by the tables that ship with
    /// loopctl.
    #[must_use]
    pub fn makes_free(&self, provider: &str, model: Option<&str>) -> bool {
        self.find(provider, model).is_some_and(Price::is_free) && Prices::shipped().charges(provider)
    }

    /// The price of a model; without a name, that of the provider's every model (`models: ["*"]`).
    #[must_use]
    pub fn find(&self, provider: &str, model: Option<&str>) -> Option<&Price> {
        self.tables.iter().find_map(|table| {
            let mut best: Option<(usize, &Price)> = None;
            for price in table.iter().filter(|price| price.provider.eq_ignore_ascii_case(provider)) {
                let fit =
                    price.models.iter().filter(|pattern| fits(pattern, model)).map(|p| literal(p)).max();
                if let Some(fit) = fit
                    && best.is_none_or(|(most, _)| fit > most)
                {
                    best = Some((fit, price));
                }
            }
            best.map(|(_, price)| price)
        })
    }
}

impl Price {
    /// Returns whether every price is 0.
    #[must_use]
    pub fn is_free(&self) -> bool {
        self.rates.are_nothing() && self.long_prompt.is_none_or(|long| long.rates.are_nothing())
    }

    /// The cost of a call: each token at the price of what was done with it. `None` where the table has no price for
    /// that.
    #[must_use]
    pub fn cost(&self, usage: &Usage) -> Option<Usd> {
        let rates = match self.long_prompt {
            Some(long) if usage.input_tokens > long.above => long.rates,
            _ => self.rates,
        };
        let mut rest = usage.input_tokens;
        // More of a kind than were read makes no sense.
        let mut part = |tokens: u64, price: Option<f64>| {
            let tokens = tokens.min(rest);
            rest -= tokens;
            if tokens == 0 { Some(0.0) } else { price.map(|price| millions(tokens) * price) }
        };
        let cache_writes = part(usage.cache_write_1h_tokens, rates.cache_write_1h)?
            + part(usage.cache_write_tokens, rates.cache_write)?;
        let cached = part(usage.cached_input_tokens, Some(rates.cached_input))?;
        let plain = part(u64::MAX, Some(rates.input))?;
        Usd::new(plain + cached + cache_writes + millions(usage.output_tokens) * rates.output)
    }

    /// Like [`Price::cost`], for a call that is a line of a provider's batch: the full price, where the table has no
    /// fraction.
    #[must_use]
    pub fn cost_in_batch(&self, usage: &Usage) -> Option<Usd> {
        Usd::new(self.cost(usage)?.get() * self.batch.unwrap_or(1.0))
    }
}

impl Rates {
    fn are_nothing(&self) -> bool {
        let writes = [self.cache_write, self.cache_write_1h].into_iter().flatten();
        [self.input, self.cached_input, self.output].into_iter().chain(writes).all(|price| price == 0.0)
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts of tokens are far below 2^53")]
fn millions(tokens: u64) -> f64 {
    tokens as f64 / 1_000_000.0
}

/// Returns whether a pattern fits the whole name. Without a name only `*` does.
fn fits(pattern: &str, name: Option<&str>) -> bool {
    let Some(name) = name else { return pattern == "*" };
    // Most patterns are a whole name, or differ in their first letter.
    if !pattern.contains(['*', '?']) {
        return pattern.eq_ignore_ascii_case(name);
    }
    let beginning = |text: &str| text.chars().next().map(|c| c.to_ascii_lowercase());
    if beginning(pattern).is_some_and(|first| !matches!(first, '*' | '?') && beginning(name) != Some(first)) {
        return false;
    }
    let pattern: Vec<char> = pattern.chars().map(|c| c.to_ascii_lowercase()).collect();
    let name: Vec<char> = name.chars().map(|c| c.to_ascii_lowercase()).collect();
    let (mut p, mut n) = (0, 0);
    // The position of the latest `*`, and how much of the name it has taken.
    let mut star: Option<(usize, usize)> = None;
    while let Some(c) = name.get(n) {
        match pattern.get(p) {
            Some('*') => {
                star = Some((p, n));
                p += 1;
            }
            Some(wanted) if *wanted == '?' || wanted == c => {
                p += 1;
                n += 1;
            }
            _ => match star {
                Some((at, taken)) => {
                    star = Some((at, taken + 1));
                    p = at + 1;
                    n = taken + 1;
                }
                None => return false,
            },
        }
    }
    pattern.iter().skip(p).all(|c| *c == '*')
}

/// The number of characters of a pattern that are not wildcards.
fn literal(pattern: &str) -> usize {
    pattern.chars().filter(|c| !matches!(c, '*' | '?')).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn table(text: &str) -> Result<Prices, Vec<String>> {
        let mut problems = Problems::new();
        let prices = Prices::parse(&SourceFile::new("prices.yaml", text), &mut problems);
        if problems.is_empty() {
            return Ok(prices.unwrap());
        }
        let shown = |problem: &Problem| {
            format!(
                "{} {} {}",
                problem.code.as_str(),
                problem.message,
                problem.help.clone().unwrap_or_default()
            )
        };
        Err(problems.iter().map(shown).collect())
    }

    fn used(input: u64, cached: u64, output: u64) -> Usage {
        Usage { input_tokens: input, cached_input_tokens: cached, output_tokens: output, ..Usage::default() }
    }

    const ENTRY: &str = "prices:\n  - { provider: p, models: [m], input: 1, output: 2, as_of: 2026-01-02";

    #[test]
    fn the_shipped_table_is_sound() {
        let mut problems = Problems::new();
        let prices = Prices::parse(&SourceFile::new("prices.yaml", SHIPPED), &mut problems).unwrap();
        assert!(problems.is_empty());
        for price in prices.tables.iter().flat_map(|table| table.iter()) {
            assert!(price.source.is_some() || price.is_free(), "{price:?}");
            assert!(price.rates.cached_input <= price.rates.input, "{price:?}");
            for model in price.models.iter().filter(|model| !model.contains(['*', '?'])) {
                assert_eq!(prices.find(&price.provider, Some(model)), Some(price), "{model} appears twice");
            }
        }
        for endpoint in ["ollama", "vllm", "llamacpp", "lmstudio", "pattern"] {
            assert!(prices.find(endpoint, None).unwrap().is_free(), "{endpoint}");
            assert!(prices.find(endpoint, Some("any:8b")).unwrap().is_free(), "{endpoint}");
        }
        assert_eq!((prices.find("openai", None), prices.find("scripted", None)), (None, None));
    }

    #[test]
    fn snapshots_cost_what_their_model_does_and_siblings_do_not() {
        let prices = Prices::shipped();
        let of =
            |provider: &str, model: &str| prices.find(provider, Some(model)).map(|price| price.rates.input);
        assert_eq!(of("openai", "gpt-5-mini-2025-08-07"), of("openai", "gpt-5-mini"));
        assert_eq!(of("openai", "gpt-5"), Some(1.25));
        assert_eq!(of("openai", "gpt-5-pro"), None);
        assert_eq!(of("anthropic", "claude-haiku-4-5-20251001"), Some(1.0));
        assert_eq!(of("anthropic", "gpt-5"), None);
        assert_eq!(of("openrouter", "gpt-5"), None);
    }

    #[test]
    fn the_closest_pattern_of_the_nearest_table_decides() {
        let near = table(
            "prices:\n\
            - { provider: p, models: ['*'], input: 1, output: 0, as_of: 2026-01-02 }\n\
            - { provider: p, models: ['big-*', 'b*'], input: 2, output: 0, as_of: 2026-01-02 }\n\
            - { provider: p, models: ['big-1'], input: 3, output: 0, as_of: 2026-01-02 }\n\
            - { provider: p, models: ['big-1'], input: 4, output: 0, as_of: 2026-01-02 }",
        )
        .unwrap();
        let far = table(
            "prices:\n- { provider: P, models: [x], input: 9, output: 0, as_of: 2026-01-02 }\n\
            - { provider: q, models: [x], input: 8, output: 0, as_of: 2026-01-02 }",
        )
        .unwrap();
        let all = near.before(far);
        let of = |provider: &str, model: &str| all.find(provider, Some(model)).map(|price| price.rates.input);
        assert_eq!(of("p", "big-1"), Some(3.0));
        assert_eq!(of("p", "BIG-2"), Some(2.0));
        assert_eq!(of("p", "x"), Some(1.0));
        assert_eq!(of("q", "x"), Some(8.0));
        assert_eq!(of("q", "y"), None);
    }

    #[test]
    fn wildcards_stand_for_what_they_should() {
        for (pattern, name, expected) in [
            ("m", "m", true),
            ("m", "mm", false),
            ("m-????", "m-2024", true),
            ("m-????", "m-20245", false),
            ("*", "", true),
            ("a*c*e", "abcde", true),
            ("a*c*e", "abcd", false),
            ("*latest", "m-latest-latest", true),
            ("?", "ä", true),
        ] {
            assert_eq!(fits(pattern, Some(name)), expected, "{pattern} {name}");
        }
    }

    #[test]
    fn cached_tokens_and_long_prompts_have_prices_of_their_own() {
        let prices = table(&format!(
            "{ENTRY}, cached_input: 0.1, long_prompt: {{ above: 1000, input: 10, output: 20 }} }}"
        ))
        .unwrap();
        let price = prices.find("p", Some("m")).unwrap();
        let cost = |input, cached, output| price.cost(&used(input, cached, output)).unwrap().get() * 1e6;
        assert!((cost(1000, 400, 10) - (600.0 + 40.0 + 20.0)).abs() < 1e-6);
        assert!((cost(1001, 0, 10) - (10_010.0 + 200.0)).abs() < 1e-6);
        // More cached than read makes no sense, and no negative cost.
        assert!((cost(10, 400, 0) - 1.0).abs() < 1e-6);
    }

    #[test]
    fn writes_to_a_cache_cost_what_the_table_says_and_nobody_knows_what_where_it_says_nothing() {
        let prices = table(&format!(
            "{ENTRY}, cached_input: 0.1, cache_write: 1.25, cache_write_1h: 2, batch: 0.5 }}\n  \
             - {{ provider: p, models: [n], input: 1, output: 2, cache_write: 1.25, as_of: 2026-01-02 }}"
        ))
        .unwrap();
        let usage = |minutes, hour| Usage {
            cache_write_tokens: minutes,
            cache_write_1h_tokens: hour,
            ..used(1000, 100, 10)
        };
        let cost = |model: &str, usage: &Usage| {
            prices.find("p", Some(model)).unwrap().cost(usage).map(|cost| (cost.get() * 1e6).round())
        };
        // 100 of the cache, 300 for minutes, 200 for an hour, 400 as they are, 10 written.
        assert_eq!(cost("m", &usage(300, 200)), Some(10.0 + 375.0 + 400.0 + 400.0 + 20.0));
        assert_eq!(cost("n", &usage(300, 0)), Some(100.0 + 375.0 + 600.0 + 20.0));
        assert_eq!(cost("n", &usage(300, 1)), None);
        let batched = prices.find("p", Some("m")).unwrap().cost_in_batch(&usage(300, 200));
        assert_eq!(batched.map(|cost| (cost.get() * 1e6).round()), Some(603.0));
        // As in Anthropic's list, for every price that is shipped.
        for price in Prices::shipped().tables.iter().flat_map(|table| table.iter()) {
            if price.provider == "anthropic" {
                for rates in
                    [Some(price.rates), price.long_prompt.map(|long| long.rates)].into_iter().flatten()
                {
                    let (minutes, hour) = (rates.cache_write.unwrap(), rates.cache_write_1h.unwrap());
                    assert!((minutes - 1.25 * rates.input).abs() < 1e-9, "{price:?}");
                    assert!((hour - 2.0 * rates.input).abs() < 1e-9, "{price:?}");
                }
            }
        }
    }

    #[test]
    fn a_line_of_a_batch_costs_a_part_and_all_where_nothing_is_said() {
        let prices = table(&format!(
            "{ENTRY}, batch: 0.5 }}\n  - {{ provider: p, models: [n], input: 1, output: 2, as_of: 2026-01-02 }}"
        ))
        .unwrap();
        let cost = |model: &str| {
            let price = prices.find("p", Some(model)).unwrap();
            let (batched, online) = (price.cost_in_batch(&used(1000, 0, 10)), price.cost(&used(1000, 0, 10)));
            (batched.unwrap().get() * 1e6, online.unwrap().get() * 1e6)
        };
        for (model, expected) in [("m", (510.0, 1020.0)), ("n", (1020.0, 1020.0))] {
            let (batched, online) = cost(model);
            assert!((batched - expected.0).abs() < 1e-6 && (online - expected.1).abs() < 1e-6, "{model}");
        }
        let free = Prices::shipped();
        assert_eq!(free.find("anthropic", Some("claude-haiku-4-5")).unwrap().batch, Some(0.5));
        assert_eq!(free.find("ollama", Some("x")).unwrap().batch, None);
    }

    #[test]
    fn mistakes_are_said_where_they_stand() {
        for (text, expected) in [
            (
                ENTRY.replace("output: 2", "output: -2") + " }",
                "LC103 expected a number from 0 to 100000, found -2",
            ),
            (ENTRY.replace("output: 2", "outputs: 2") + " }", "LC105 this price lacks `output`"),
            (ENTRY.to_owned() + ", batch: 1.5 }", "LC103 expected a number from 0 to 1, found 1.5"),
            (ENTRY.to_owned() + ", cached_imput: 1 }", "did you mean `cached_input`?"),
            (
                ENTRY.replace("2026-01-02", "yesterday") + " }",
                "expected a date such as `2026-11-05`, found `yesterday`",
            ),
            (ENTRY.replace("[m]", "[]") + " }", "LC107"),
            (ENTRY.to_owned() + ", long_prompt: { input: 1, output: 1 } }", "lacks `above`"),
            ("price: []".to_owned(), "did you mean `prices`?"),
        ] {
            let problems = table(&text).unwrap_err().join("\n");
            assert!(problems.contains(expected), "{text}: {problems}");
        }
    }

    proptest! {
        #[test]
        fn costs_are_never_negative_and_grow_with_use(
            input in 0..10_000_000_u64, cached in 0..10_000_000_u64, output in 0..10_000_000_u64,
            rates in (0.0..100.0_f64, 0.0..1.0_f64, 0.0..100.0_f64),
        ) {
            let price = Price {
                provider: "p".to_owned(),
                models: vec!["*".to_owned()],
                rates: Rates {
                    input: rates.0,
                    cached_input: rates.0 * rates.1,
                    cache_write: None,
                    cache_write_1h: None,
                    output: rates.2,
                },
                long_prompt: None,
                batch: None,
                as_of: "2026-01-02".to_owned(),
                source: None,
            };
            let cost = |input, cached, output| price.cost(&used(input, cached, output)).unwrap().get();
            let all = cost(input, cached, output);
            prop_assert!(all >= 0.0 && all.is_finite());
            prop_assert!(cost(input, cached, output + 1) >= all);
            prop_assert!(cost(input, 0, output) >= all - 1e-9);
            let parts = cost(input, cached, 0) + cost(0, 0, output);
            prop_assert!((parts - all).abs() < 1e-9 * all.max(1.0));
        }
    }
}
