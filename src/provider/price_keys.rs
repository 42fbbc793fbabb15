//! The keys of price tables.

use super::prices::{HIGHEST_PRICE, LongPrompt, Price};
use crate::value::decode::Decode;
use crate::value::shape::{Key, Mapping, Shape};

fn price() -> Shape {
    Shape::number(0.0, HIGHEST_PRICE)
}

/// A price table.
pub static PRICES: Mapping = Mapping {
    name: "prices",
    what: "price table",
    doc: "What models cost, in US dollars per million tokens: `prices.yaml` in the working directory or in \
          `$LOOPCTL_HOME`, or a file named with `--prices`. These come before the table that ships with loopctl.",
    keys: &[&[Key::new("prices", <Vec<Price>>::shape, "The prices. Of the patterns that fit a model, the one with the most characters that are no wildcards decides.")
        .required()
        .examples(&["[{ provider: openai, models: [gpt-5-mini], input: 0.25, output: 2.00, as_of: 2026-11-05 }]"])]],
    open: None,
};

static RATES: [Key; 3] = [
    Key::new("input", price, "A million tokens that are read, in US dollars: 0 to 100000.").required().examples(&["0.25"]),
    Key::new(
        "cached_input",
        price,
        "A million tokens that are read and that the provider had cached, in US dollars. Without it, as `input`.",
    )
    .examples(&["0.025"]),
    Key::new("output", price, "A million tokens that are written, in US dollars: 0 to 100000.").required().examples(&["2.00"]),
];

pub(super) static PRICE: Mapping = Mapping {
    name: "price",
    what: "price",
    doc: "What some models of a provider cost. A model that no entry fits has an unknown cost.",
    keys: &[
        &[
            Key::new("provider", || Shape::text("a plugin or one of its endpoints"), "A plugin, or one of its endpoints.")
                .required()
                .examples(&["openai", "ollama"]),
            Key::new(
                "models",
                <Vec<String>>::shape,
                "Names of models. `*` stands for any text, `?` for any one character; upper and lower case count alike.",
            )
            .required()
            .examples(&["[gpt-5-mini, 'gpt-5-mini-????-??-??']", "['*']"]),
        ],
        &RATES,
        &[
            Key::new("long_prompt", LongPrompt::shape, "Other prices for the whole call when its prompt is long. Without it length does not matter.")
                .examples(&["{ above: 200000, input: 2.50, output: 15.00 }"]),
            Key::new(
                "as_of",
                || Shape::text_like("a date such as `2026-11-05`", r"^[0-9]{4}-?(0[1-9]|1[0-2])-?(0[1-9]|[12][0-9]|3[01])"),
                "When the prices were looked up.",
            )
            .required()
            .examples(&["2026-11-05"]),
            Key::new("source", String::shape, "Where they were looked up.").examples(&["https://example.com/pricing"]),
        ],
    ],
    open: None,
};

pub(super) static LONG_PROMPT: Mapping = Mapping {
    name: "long_prompt",
    what: "price of long prompts",
    doc: "Other prices for all tokens of a call whose prompt is long.",
    keys: &[
        &[Key::new("above", u64::shape, "They hold for prompts of more input tokens than this.")
            .required()
            .examples(&["200000"])],
        &RATES,
    ],
    open: None,
};
