//! The keys of stages, and those that stages and judges share: whom they ask, and how.

use super::super::call::{Attach, Options};
use super::super::stage::ContextLimits;
use crate::value::decode::Decode;
use crate::value::shape::{Key, Mapping, NAME, Shape, settings, some_time};

fn template() -> Shape {
    Shape::text("a file under `prompts/`")
}

fn provider() -> Shape {
    let name = || {
        Shape::text("a plugin's name or path, with an optional `:model`; several with commas between them")
    };
    let one = Shape::AnyOf(vec![name(), Shape::Mapping(&PROVIDER)]);
    Shape::AnyOf(vec![name(), Shape::list(one), Shape::Mapping(&PROVIDER)])
}

/// What stages and judges say of the call that they make.
pub(super) static CALL: [Key; 7] = [
    Key::new(
        "provider",
        provider,
        "Who is asked: a plugin such as `pattern`, `openai:gpt-5-mini` or `./my-plugin.so`. In a list each one stands in \
         for the one before when that has failed permanently; at most five. `none` for a judge that is not to be asked, `$stage` for one that asks as the last stage \
         does (nobody, where that is `pattern`).",
    )
    .required()
    .examples(&["pattern", "openai:gpt-5-mini", "[anthropic:claude-haiku-4-5, { name: ollama:llama3, config: {} }]"]),
    Key::new(
        "config",
        settings,
        "Settings of the plugin's own; `loopctl plugin inspect NAME` says which it knows. In a list of providers, those of \
         all that bring none themselves.",
    )
    .default("{}")
    .examples(&["{ endpoint: azure }"]),
    Key::new(
        "prompt",
        template,
        "The prompt: a template that is filled in with the document and what else it names. A judge that is asked must have one.",
    )
    .examples(&["extract.md", "judge/literature.md"]),
    Key::new(
        "output",
        || Shape::text("the path of a JSON Schema"),
        "What the answer must look like. `{{ document_type }}` is filled in. Without it any answer is taken.",
    )
    .examples(&["schemas/{{ document_type }}.schema.json"]),
    Key::new(
        "deadline",
        some_time,
        "The longest time that one call may take, from sending to the last byte. A call that takes longer has failed with \
         a transient error.",
    )
    .default("60s")
    .examples(&["30s", "2m"]),
    Key::new("options", Options::shape, "What is asked of the model besides the answer. What is left out is the provider's choice.")
        .examples(&["{ temperature: 0, max_tokens: 4000 }"]),
    Key::new(
        "attach",
        Attach::shape,
        "Sends a document that is an image or a PDF along with the prompt. Without it only text is sent. Not together \
         with `mask`, unless for a judge with `sees: unmasked`.",
    )
    .examples(&["document"]),
];

pub(in super::super) static STAGE: Mapping = Mapping {
    name: "stage",
    what: "stage",
    doc: "One step that makes a candidate, or a part of it. Stages run in their order; each prompt sees what earlier \
          stages answered as `{{ stages.ID }}`.",
    keys: &[
        &[Key::new(
            "id",
            || Shape::text_like("a name of letters, digits, `-` and `_`", NAME),
            "The stage's name, unlike that of any other stage. Prompts, `feedback.to` and `generate_once` use it.",
        )
        .required()
        .examples(&["extract"])],
        &CALL,
        &[
            Key::new(
                "patterns",
                || Shape::text("a file under `rules/`"),
                "The extraction patterns, for the provider `pattern` and others that work by patterns. \
                 `{{ document_type }}` is filled in.",
            )
            .examples(&["extract/{{ document_type }}.yaml"]),
            Key::new(
                "retries",
                || Shape::whole(0, 20),
                "How often a call is made again that failed with a transient error (no answer in time, too many requests). \
                 0 to 20, for each provider of the list.",
            )
            .default("2")
            .examples(&["5"]),
            Key::new(
                "into",
                || Shape::text("the name of a field"),
                "The field of the candidate that this stage's output becomes. Without it, the last stage's output is the \
                 candidate, and an earlier stage only serves later ones.",
            )
            .examples(&["tags"]),
            Key::new(
                "skip_when",
                || Shape::text("a condition over the outputs of stages"),
                "If this holds when the stage has first answered, there is nothing to do for the document: the run ends \
                 as `skipped`, which counts as success.",
            )
            .examples(&["tagger.findings | length == 0"]),
            Key::new(
                "context_files",
                || Shape::list(template()),
                "Texts under `prompts/` from which the passages that fit the document best are shown to the prompt as \
                 `{{ context }}`. No model is asked to choose them.",
            )
            .default("[]")
            .examples(&["[context/guide.md]"]),
            Key::new("context", ContextLimits::shape, "How much of the context files the prompt sees.")
                .examples(&["{ passages: 5, max_bytes: 4000 }"]),
        ],
    ],
    open: None,
};

pub(in super::super) static PROVIDER: Mapping = Mapping {
    name: "provider",
    what: "provider",
    doc: "A provider with settings of its own.",
    keys: &[&[
        Key::new(
            "name",
            || Shape::text("a plugin's name or path, with an optional `:model`"),
            "The plugin, and the model after a colon.",
        )
        .required()
        .examples(&["ollama:llama3"]),
        Key::new(
            "config",
            settings,
            "The plugin's own settings. Without it, those that stand beside `provider`.",
        )
        .examples(&["{ base_url: 'http://localhost:11434' }"]),
    ]],
    open: None,
};

/// How long a call may take, for those that are no calls to a model.
pub(super) const DEADLINE: Key = Key::new(
    "deadline",
    some_time,
    "The longest time that the check may take. One that takes longer has failed, and a person is told.",
)
.default("60s")
.examples(&["30s"]);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Millis;

    #[test]
    fn some_time_is_a_duration_that_is_not_nothing() {
        let Shape::Text(text) = some_time() else { panic!() };
        let pattern = fancy(text.pattern.unwrap());
        for (duration, fits) in [("60s", true), ("0s", false), ("0.5m", true), ("00ms", false), ("5", false)]
        {
            assert_eq!(pattern(duration), fits, "{duration}");
            assert_eq!(Millis::parse(duration).is_some_and(|time| time > Millis(0)), fits, "{duration}");
        }
    }

    /// The patterns of JSON Schemas, as the validator reads them.
    fn fancy(pattern: &str) -> impl Fn(&str) -> bool {
        let schema = serde_json::json!({ "pattern": pattern });
        let validator = jsonschema::validator_for(&schema).unwrap();
        move |text| validator.is_valid(&text.into())
    }
}
