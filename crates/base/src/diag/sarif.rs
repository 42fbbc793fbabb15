//! Problems as SARIF 2.1.0, the format in which code hosts and editors accept the findings of checkers.

use super::{Code, Problems, SourceFile, Span};
use serde_json::{Map, Value, json};
use std::path::{Component, Path};

/// The URL that identifies the version of the format.
const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// Problems as one SARIF log. Files below `base`, the working directory, are named relative to it. Locations that are
/// in no file (a flag, a variable, a file embedded in the program) are described in words.
#[must_use]
pub fn render_sarif(problems: &Problems, base: &Path) -> Value {
    let sorted = problems.sorted();
    let mut codes: Vec<Code> = sorted.iter().map(|problem| problem.code).collect();
    codes.sort_unstable();
    codes.dedup();
    let results: Vec<Value> = sorted
        .iter()
        .map(|problem| {
            let text = match &problem.help {
                Some(help) => format!("{}\nhelp: {help}", problem.message),
                None => problem.message.clone(),
            };
            let related: Vec<Value> = problem
                .related
                .iter()
                .zip(1..)
                .map(|((span, why), id)| {
                    let mut location = location(span, base);
                    location.insert("id".to_owned(), json!(id));
                    location.insert("message".to_owned(), json!({ "text": why }));
                    Value::Object(location)
                })
                .collect();
            let mut result = json!({
                "ruleId": problem.code.as_str(),
                "ruleIndex": codes.iter().position(|code| *code == problem.code),
                "level": problem.level.as_str(),
                "message": { "text": text },
                "locations": problem.span.iter().map(|span| location(span, base)).collect::<Vec<_>>(),
            });
            if let (Some(members), false) = (result.as_object_mut(), related.is_empty()) {
                members.insert("relatedLocations".to_owned(), Value::Array(related));
            }
            result
        })
        .collect();
    json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "loopctl",
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": codes.into_iter().map(rule).collect::<Vec<_>>(),
            } },
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    })
}

fn rule(code: Code) -> Value {
    json!({
        "id": code.as_str(),
        "shortDescription": { "text": code.title() },
        "fullDescription": { "text": code.why() },
        "help": { "text": code.why(), "markdown": code.page() },
    })
}

fn location(span: &Span, base: &Path) -> Map<String, Value> {
    let mut location = Map::new();
    match uri(span.file(), base) {
        Some(uri) => {
            let (start, end) = (span.location(), span.end_location());
            location.insert(
                "physicalLocation".to_owned(),
                json!({
                    "artifactLocation": { "uri": uri },
                    "region": {
                        "startLine": start.line,
                        "startColumn": start.column,
                        "endLine": end.line,
                        "endColumn": end.column,
                    },
                }),
            );
        }
        None => {
            location.insert(
                "logicalLocations".to_owned(),
                json!([{ "fullyQualifiedName": span.location().to_string() }]),
            );
        }
    }
    location
}

/// The URI of a file: relative if it lies below `base`. `None` for anything that is not a file on disk.
fn uri(file: &SourceFile, base: &Path) -> Option<String> {
    let name = file.name();
    if file.is_argument() || name.starts_with('<') || name.starts_with("--") {
        return None;
    }
    let path = Path::new(name);
    let (path, prefix) = match path.strip_prefix(base) {
        Ok(below) => (below, ""),
        Err(_) if path.is_absolute() => (path, "file://"),
        Err(_) => (path, ""),
    };
    let parts: Vec<String> = path
        .components()
        .filter_map(|part| match part {
            Component::Normal(part) => Some(escaped(&part.to_string_lossy())),
            Component::ParentDir => Some("..".to_owned()),
            Component::CurDir | Component::RootDir | Component::Prefix(_) => None,
        })
        .collect();
    let root = if prefix.is_empty() { "" } else { "/" };
    Some(format!("{prefix}{root}{}", parts.join("/")))
}

/// A part of a path as it appears in a URI (RFC 3986, 2.3: the characters that need no escaping).
fn escaped(part: &str) -> String {
    part.bytes()
        .map(|byte| match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                char::from(byte).to_string()
            }
            _ => format!("%{byte:02X}"),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::Problem;
    use super::*;

    #[test]
    fn files_are_relative_and_regions_have_an_end() {
        let file = SourceFile::new("./rules/wär me.yaml", "a: 1\nträge: xyz\n");
        let at = file.text().find("xyz").unwrap();
        let mut problems = Problems::new();
        let flag = Span::new(&SourceFile::argument("--config", "a=b"), 0, 3);
        problems.push(
            Problem::warning(Code::NeverFires, &Span::new(&file, at, at + 3), "no")
                .help("do")
                .related(&flag, "why"),
        );
        let log = render_sarif(&problems, Path::new("/home/me"));
        let result = log.pointer("/runs/0/results/0").unwrap();
        assert_eq!(
            result.pointer("/locations/0/physicalLocation"),
            Some(&json!({
                "artifactLocation": { "uri": "rules/w%C3%A4r%20me.yaml" },
                "region": { "startLine": 2, "startColumn": 8, "endLine": 2, "endColumn": 11 },
            }))
        );
        assert_eq!(
            result["relatedLocations"][0]["logicalLocations"][0]["fullyQualifiedName"],
            "--config:1:1"
        );
        assert_eq!((&result["level"], &result["ruleIndex"]), (&json!("warning"), &json!(0)));
    }

    #[test]
    fn absolute_paths_are_made_relative_where_they_can_be() {
        let name = |path: &str| uri(&SourceFile::new(path, ""), Path::new("/home/me")).unwrap();
        assert_eq!(name("/home/me/profiles/a.yaml"), "profiles/a.yaml");
        assert_eq!(name("/etc/a.yaml"), "file:///etc/a.yaml");
        assert_eq!(name("../b.yaml"), "../b.yaml");
    }
}
