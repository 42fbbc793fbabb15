//! Our JSON Schemas in a real language server, as an editor runs it: what it flags, offers and explains while a user
//! writes our YAML. The server is `yaml-language-server`, pinned in `tests/language-server`.

mod client;
mod install;

use crate::workspace::Workspace;
use client::Server;
use serde_json::Value;
use std::path::{Path, PathBuf};

fn repository() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// A server for files below a folder; `None` where there is no way to have one, which is reported.
fn server(root: &Path) -> Option<Server> {
    match install::entry() {
        Ok(entry) => Some(Server::start(&entry, root)),
        Err(why) if std::env::var_os("LOOPCTL_REQUIRE_NODE").is_some_and(|asked| asked == "1") => {
            panic!("{why}");
        }
        Err(why) => {
            eprintln!("the language server was not tried: {why}");
            None
        }
    }
}

/// All YAML below a folder of `root`, or that file.
fn yaml(root: &Path, name: &str) -> Vec<String> {
    let path = root.join(name);
    if path.is_file() {
        return vec![name.to_owned()];
    }
    let mut found = Vec::new();
    let Ok(entries) = std::fs::read_dir(&path) else { return found };
    for entry in entries {
        let name = format!("{name}/{}", entry.unwrap().file_name().into_string().unwrap());
        if root.join(&name).is_dir() || name.ends_with(".yaml") {
            found.extend(yaml(root, &name));
        }
    }
    found.sort();
    found
}

/// A file that is being written, of the kind that a schema is for.
struct Draft {
    path: &'static str,
    schema: &'static str,
    text: String,
}

const PROFILE: (&str, &str) = ("profiles", "../schemas/profile");
const RULES: (&str, &str) = ("rules", "../schemas/rules");
const RUBRIC: (&str, &str) = ("rules/rubrics", "../../schemas/rubric");
const EXTRACTION: (&str, &str) = ("rules/extract", "../../schemas/extraction");
const CLASSIFICATION: (&str, &str) = ("rules", "../schemas/classification");
const PRICES: (&str, &str) = (".", "./schemas/prices");
const SCENARIOS: (&str, &str) = ("profiles", "../schemas/scenarios");
const RULE_TESTS: (&str, &str) = ("rules", "../schemas/rule-tests");

fn draft((path, schema): (&'static str, &'static str), text: &str) -> Draft {
    Draft { path, schema, text: text.to_owned() }
}

/// The mark of the cursor in a draft.
const CURSOR: char = '‸';

impl Draft {
    /// Opens it and returns its address, the cursor's line and column, and what is flagged.
    fn open(&self, server: &mut Server) -> (String, (usize, usize), Vec<Value>) {
        let whole = format!("# yaml-language-server: $schema={}.schema.json\n{}", self.schema, self.text);
        let before = whole.split(CURSOR).next().unwrap();
        let line = before.matches('\n').count();
        let column = before.rsplit('\n').next().unwrap().encode_utf16().count();
        let name = format!("{}/tried-{}.yaml", self.path, server.opened());
        let text = whole.replace(CURSOR, "");
        let (address, flagged) = server.open(&name, &text);
        (address, (line, column), flagged)
    }

    /// The completions at the cursor: each label with its documentation.
    fn offers(&self, server: &mut Server) -> Vec<(String, String)> {
        let (address, at, _) = self.open(server);
        let answer = server.ask_at("textDocument/completion", &address, at);
        let items = answer.get("items").unwrap_or(&answer).as_array().unwrap();
        let text = |item: &Value, key: &str| match &item[key] {
            Value::Object(marked) => marked["value"].as_str().unwrap().to_owned(),
            other => other.as_str().unwrap_or_default().to_owned(),
        };
        items.iter().map(|item| (text(item, "label"), text(item, "documentation"))).collect()
    }

    fn labels(&self, server: &mut Server) -> Vec<String> {
        self.offers(server).into_iter().map(|(label, _)| label).collect()
    }

    fn hover(&self, server: &mut Server) -> String {
        let (address, at, _) = self.open(server);
        let answer = server.ask_at("textDocument/hover", &address, at);
        answer["contents"]["value"].as_str().unwrap_or_default().to_owned()
    }

    /// The errors that are flagged: the marked text with the message.
    fn errors(&self, server: &mut Server) -> Vec<(String, String)> {
        let (_, _, flagged) = self.open(server);
        let of = |found: &Value| {
            assert_eq!(found["severity"], 1, "{found}");
            let place =
                |edge: &str, key: &str| usize::try_from(found["range"][edge][key].as_u64().unwrap()).unwrap();
            // The line of the server's language comes first.
            let line = self.text.lines().nth(place("start", "line") - 1).unwrap();
            let marked = &line[place("start", "character")..place("end", "character")];
            (marked.to_owned(), found["message"].as_str().unwrap().to_owned())
        };
        flagged.iter().map(of).collect()
    }
}

/// The description of a key in one of our schemas: of the property, or of a definition's.
fn description(schema: &str, definition: Option<&str>, key: &str) -> String {
    let path = repository().join(format!("schemas/{schema}.schema.json"));
    let schema: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let mapping = definition.map_or(&schema, |name| &schema["definitions"][name]);
    mapping["properties"][key]["description"].as_str().unwrap().to_owned()
}

#[test]
#[ignore = "long"]
fn nothing_is_flagged_in_what_ships() {
    let root = repository();
    let Some(mut server) = server(&root) else { return };
    let files = ["profiles", "rules", "prices.yaml"].iter().flat_map(|name| yaml(&root, name));
    let names: Vec<String> = files.collect();
    assert!(names.len() > 50, "{names:?}");
    for name in names {
        let text = std::fs::read_to_string(root.join(&name)).unwrap();
        let first = text.lines().next().unwrap_or_default();
        assert!(
            first.starts_with("# yaml-language-server: $schema="),
            "{name} does not name its schema: {first}"
        );
        let (_, flagged) = server.open(&name, &text);
        assert!(flagged.is_empty(), "{name}: {flagged:#?}");
    }
}

#[test]
#[ignore = "long"]
fn nothing_is_flagged_in_a_project_to_begin_with_and_a_slip_in_it_is() {
    let place = Workspace::new();
    place.run(&["init", "ours"]).exits(0);
    let root = place.path("ours");
    let Some(mut server) = server(&root) else { return };
    let names: Vec<String> = ["profiles", "rules"].iter().flat_map(|name| yaml(&root, name)).collect();
    assert!(names.len() > 2, "{names:?}");
    for name in &names {
        let text = std::fs::read_to_string(root.join(name)).unwrap();
        assert!(text.starts_with("# yaml-language-server: $schema="), "{name} does not name its schema");
        let (_, flagged) = server.open(name, &text);
        assert!(flagged.is_empty(), "{name}: {flagged:#?}");
    }
    // Its schemas are there, and applied.
    let errors = draft(PROFILE, "extends: balanced\nstop: { max_iteration: 3 }\n").errors(&mut server);
    assert_eq!(errors.len(), 1, "{errors:?}");
}

#[test]
#[ignore = "long"]
fn a_profile_is_completed_explained_and_corrected() {
    let Some(mut server) = server(&repository()) else { return };
    let profile = |text: &str| draft(PROFILE, text);

    let offered = profile("extends: balanced\nstop:\n  ‸\n").offers(&mut server);
    let (_, said) = offered.iter().find(|(label, _)| label == "max_iterations").expect("`max_iterations`");
    assert_eq!(*said, description("profile", Some("stop"), "max_iterations"));
    let labels = profile("extends: balanced\non_regression: ‸\n").labels(&mut server);
    assert!(labels.starts_with(&["keep".to_owned(), "rollback".to_owned()]), "{labels:?}");
    // Keys of the profile itself, at its left edge.
    let labels = profile("extends: balanced\n‸\n").labels(&mut server);
    for key in ["accept", "stop", "stages", "judges"] {
        assert!(labels.iter().any(|label| label == key), "{key}: {labels:?}");
    }

    let shown = profile("stop:\n  min_imp‸rovement: { delta: 0.1 }\n").hover(&mut server);
    assert!(shown.contains(&description("profile", Some("stop"), "min_improvement")), "{shown}");

    for (text, marked, said) in [
        ("stop: { max_iteration: 3 }\n", "max_iteration", "max_iteration is not allowed"),
        ("stop: { max_iterations: three }\n", "three", ""),
        ("accept: { overall: 1.5 }\n", "1.5", "maximum of 1"),
        ("on_regression: rolback\n", "rolback", "\"rollback\""),
        ("stages: 3\n", "3", ""),
    ] {
        let errors = profile(&format!("extends: balanced\n{text}")).errors(&mut server);
        let [(place, message)] = &errors[..] else { panic!("{text}: {errors:?}") };
        assert!(place == marked && message.contains(said), "{text}: {errors:?}");
    }
    assert_eq!(profile("extends: balanced\nstop: { max_iterations: 3 }\n").errors(&mut server), []);
}

#[test]
#[ignore = "long"]
fn files_of_every_kind_are_completed_explained_and_corrected() {
    let Some(mut server) = server(&repository()) else { return };
    // What is offered at the cursor, and what is flagged when the last line is written instead.
    for (kind, begun, offered, wrong, marked) in [
        (
            RULES,
            "rules:\n  - id: a\n    field: grade\n    severity: ‸\n",
            ["critical", "minor"],
            "    severity: grave\n",
            "grave",
        ),
        (RULES, "rules:\n  - id: a\n    ‸\n", ["field", "matches"], "    feld: grade\n", "feld"),
        (
            RUBRIC,
            "types:\n  pathology:\n    ‸\n",
            ["required", "optional"],
            "    requird: [grade]\n",
            "requird",
        ),
        (
            EXTRACTION,
            "extract: pathology\nfields:\n  grade:\n    ‸\n",
            ["kind", "patterns"],
            "    patterms: []\n",
            "patterms",
        ),
        (CLASSIFICATION, "‸\n", ["classify", "minimum"], "clasify: {}\n", "clasify"),
        (
            PRICES,
            "prices:\n  - provider: openai\n    ‸\n",
            ["input", "output"],
            "    input: cheap\n",
            "cheap",
        ),
        (SCENARIOS, "cases:\n  - name: a\n    ‸\n", ["trajectory", "expect"], "    expct: {}\n", "expct"),
        (RULE_TESTS, "cases:\n  - name: a\n    ‸\n", ["valid", "invalid"], "    invald: {}\n", "invald"),
    ] {
        let labels = draft(kind, begun).labels(&mut server);
        for word in offered {
            assert!(
                labels.iter().any(|label| label == word),
                "{kind:?}: `{word}` is not offered: {labels:?}"
            );
        }
        let before =
            begun.trim_end().rsplit_once('\n').map_or(String::new(), |(before, _)| format!("{before}\n"));
        let errors = draft(kind, &(before + wrong)).errors(&mut server);
        assert!(errors.iter().any(|(place, _)| place.contains(marked)), "{kind:?}: {wrong}: {errors:?}");
    }
    for (kind, text, schema, definition, key) in [
        (RULES, "rules:\n  - { id: a, mat‸ches: x, field: b }\n", "rules", Some("rule"), "matches"),
        (RUBRIC, "typ‸es: {}\n", "rubric", None, "types"),
        (EXTRACTION, "extr‸act: pathology\nfields: {}\n", "extraction", None, "extract"),
        (PRICES, "pri‸ces: []\n", "prices", None, "prices"),
        (SCENARIOS, "cas‸es: []\n", "scenarios", None, "cases"),
    ] {
        let shown = draft(kind, text).hover(&mut server);
        assert!(shown.contains(&description(schema, definition, key)), "{schema}: {key}: {shown}");
    }
}
