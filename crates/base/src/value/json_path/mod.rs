//! JSONPath (RFC 9535), evaluated without allocating for the paths that rules use.
//!
//! `serde_json_path` parses and checks every path. Paths made of names, indexes and wildcards (`$.ihcMarkers.*`,
//! `$.measurements[*].size`) are turned into steps that are walked in place; filters, slices and descendants are left
//! to the library, which allocates.
//!
//! A path may select a value many times: `$..*..*` selects each as often as there are values above it. The cost of a
//! path is estimated before it is given to the library, and a path is refused if that is more than the fuel allows.

mod growth;

use super::fuel::Fuel;
use super::item::Item;
use super::pointer::{Pointer, Segment};
use growth::{Growth, costly};
use serde_json::Value;
use serde_json_path::PathElement;

/// A checked path.
#[derive(Debug, Clone)]
pub struct JsonPath {
    text: String,
    plan: Plan,
}

#[derive(Debug, Clone)]
enum Plan {
    Steps(Steps),
    Query(Box<serde_json_path::JsonPath>, Growth),
}

/// The steps of a simple path.
pub(super) type Steps = Vec<PathStep>;

/// One step of a simple path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PathStep {
    /// A member by name.
    Key(String),
    /// Several members by name, in this order.
    Keys(Vec<String>),
    /// An element by index; negative counts from the end.
    Index(i64),
    /// All members or elements.
    Wildcard,
}

/// The reason why a text is not a JSONPath.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct PathError {
    /// A description of what is wrong.
    pub message: String,
    /// The byte of the path at which it is.
    pub position: usize,
}

/// Longest path, in bytes.
const MOST_BYTES: usize = 1_000;
/// Deepest nesting of brackets. The library's parser calls itself at each, and takes twice as long for each filter
/// within a filter.
const MOST_NESTED: usize = 8;

impl JsonPath {
    /// Reads a path such as `$.ihcMarkers.*`.
    ///
    /// # Errors
    /// Returns an error if the text is not an RFC 9535 query, or longer, deeper or costlier than any rule needs.
    pub fn parse(text: &str) -> Result<Self, PathError> {
        if text.len() > MOST_BYTES {
            let message = format!("it is longer than {MOST_BYTES} bytes");
            return Err(PathError { message, position: MOST_BYTES });
        }
        if let Some(position) = too_deep(text) {
            let message = format!("its brackets are nested more than {MOST_NESTED} deep");
            return Err(PathError { message, position });
        }
        let query = serde_json_path::JsonPath::parse(text)
            .map_err(|error| PathError { message: error.message().to_owned(), position: error.position() })?;
        let plan = match simple_steps(text) {
            Some(steps) => {
                let twice = |step: &PathStep| match step {
                    PathStep::Keys(keys) => {
                        keys.iter().enumerate().any(|(at, key)| keys.iter().take(at).any(|k| k == key))
                    }
                    _ => false,
                };
                if steps.iter().any(twice) {
                    return Err(costly("it selects one member twice"));
                }
                Plan::Steps(steps)
            }
            None => Plan::Query(Box::new(query), Growth::of(text)?),
        };
        Ok(JsonPath { text: text.to_owned(), plan })
    }

    /// The path to one member of the root object.
    #[must_use]
    pub fn field(name: &str) -> Self {
        JsonPath {
            text: format!("$[{}]", Value::from(name)),
            plan: Plan::Steps(vec![PathStep::Key(name.to_owned())]),
        }
    }

    /// The path as it was written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The steps, if the path is made of names, indexes and wildcards only.
    #[must_use]
    pub fn steps(&self) -> Option<&[PathStep]> {
        match &self.plan {
            Plan::Steps(steps) => Some(steps),
            Plan::Query(..) => None,
        }
    }

    /// The members of the root that the path begins with, if it begins with names.
    pub fn first_names(&self) -> impl Iterator<Item = &String> {
        let names = match self.steps().and_then(<[PathStep]>::first) {
            Some(PathStep::Key(name)) => std::slice::from_ref(name),
            Some(PathStep::Keys(names)) => names,
            _ => &[],
        };
        names.iter()
    }

    /// Like [`JsonPath::visit`], if a member that the path begins with has been found.
    pub fn visit_below<'v>(
        &self,
        name: &str,
        member: Item<'v>,
        fuel: &Fuel,
        visit: &mut dyn FnMut(&Pointer<'_>, Item<'v>),
    ) {
        if let Some([_, rest @ ..]) = self.steps() {
            walk(rest, member, &Pointer::ROOT.child(Segment::Key(name)), fuel, visit);
        }
    }

    /// Calls `visit` with each value that the path selects, in document order, and its location. Inspected values are
    /// counted; when the fuel is spent, nothing more is selected. A path that needs the library selects in trees only.
    pub fn visit<'v>(&self, root: Item<'v>, fuel: &Fuel, visit: &mut dyn FnMut(&Pointer<'_>, Item<'v>)) {
        match &self.plan {
            Plan::Steps(steps) => walk(steps, root, &Pointer::ROOT, fuel, visit),
            Plan::Query(query, growth) => {
                let Some(root) = root.tree() else { return };
                if !fuel.spend(growth.steps(root)) {
                    return;
                }
                for node in query.query_located(root).iter() {
                    if !fuel.spend(1) {
                        return;
                    }
                    let elements: Vec<_> = node.location().iter().collect();
                    locate(&elements, &Pointer::ROOT, &mut |pointer| visit(pointer, node.node().into()));
                }
            }
        }
    }
}

/// The position at which brackets outside quotes are nested too deep.
fn too_deep(text: &str) -> Option<usize> {
    let (mut depth, mut quote, mut escaped) = (0_usize, None, false);
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (Some(_), _) if escaped => escaped = false,
            (Some(_), '\\') => escaped = true,
            (Some(open), c) if c == open => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '"') => quote = Some(c),
            (None, '[' | '(') => depth += 1,
            (None, ']' | ')') => depth = depth.saturating_sub(1),
            (None, _) => {}
        }
        if depth > MOST_NESTED {
            return Some(at);
        }
    }
    None
}

fn walk<'v>(
    steps: &[PathStep],
    value: Item<'v>,
    at: &Pointer<'_>,
    fuel: &Fuel,
    visit: &mut dyn FnMut(&Pointer<'_>, Item<'v>),
) {
    if !fuel.spend(1) {
        return;
    }
    let Some((step, rest)) = steps.split_first() else {
        visit(at, value);
        return;
    };
    match (step, value) {
        (PathStep::Key(key), Item::Map(_)) => {
            if let Some(member) = value.member(key) {
                walk(rest, member, &at.child(Segment::Key(key)), fuel, visit);
            }
        }
        (PathStep::Keys(keys), Item::Map(_)) => {
            for key in keys {
                if let Some(member) = value.member(key) {
                    walk(rest, member, &at.child(Segment::Key(key)), fuel, visit);
                }
            }
        }
        (PathStep::Index(index), Item::List(items)) => {
            let position = if *index < 0 {
                items.len().checked_sub(usize::try_from(index.unsigned_abs()).unwrap_or(usize::MAX))
            } else {
                usize::try_from(*index).ok()
            };
            if let Some((position, item)) = position.and_then(|p| value.element(p).map(|item| (p, item))) {
                walk(rest, item, &at.child(Segment::Index(position)), fuel, visit);
            }
        }
        (PathStep::Wildcard, Item::Map(branch) | Item::List(branch)) if rest.is_empty() => {
            if !fuel.spend_on(branch.len()) {
                return;
            }
            match branch.elements() {
                Some(elements) => {
                    for (index, element) in elements.iter().enumerate() {
                        visit(&at.child(Segment::Index(index)), element.into());
                    }
                }
                None => branch.children().for_each(|(segment, child)| visit(&at.child(segment), child)),
            }
        }
        (PathStep::Wildcard, Item::Map(branch) | Item::List(branch)) => {
            for (segment, child) in branch.children() {
                walk(rest, child, &at.child(segment), fuel, visit);
            }
        }
        _ => {}
    }
}

fn locate(elements: &[&PathElement<'_>], at: &Pointer<'_>, found: &mut dyn FnMut(&Pointer<'_>)) {
    match elements.split_first() {
        None => found(at),
        Some((PathElement::Name(name), rest)) => locate(rest, &at.child(Segment::Key(name)), found),
        Some((PathElement::Index(index), rest)) => locate(rest, &at.child(Segment::Index(*index)), found),
    }
}

/// The steps of a path that the library has found valid, or `None` when it needs the library to run.
fn simple_steps(text: &str) -> Option<Steps> {
    let mut rest = text.trim().strip_prefix('$')?;
    let mut steps = Vec::new();
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix("[*]").or_else(|| rest.strip_prefix(".*")) {
            steps.push(PathStep::Wildcard);
            rest = after;
        } else if let Some(after) = rest.strip_prefix('[') {
            let (inside, after) = after.split_once(']')?;
            let step = match inside.parse::<i64>() {
                Ok(index) => PathStep::Index(index),
                Err(_) => {
                    // A comma or bracket within quotes leaves a quote at one end only: the library runs such a path.
                    let mut names: Vec<String> = inside.split(',').map(quoted).collect::<Option<_>>()?;
                    if names.len() > 1 { PathStep::Keys(names) } else { PathStep::Key(names.pop()?) }
                }
            };
            steps.push(step);
            rest = after;
        } else {
            let after = rest.strip_prefix('.')?;
            let end = after.find(['.', '[']).unwrap_or(after.len());
            let (name, after) = after.split_at(end);
            if name.is_empty() || name.contains(char::is_whitespace) {
                return None;
            }
            steps.push(PathStep::Key(name.to_owned()));
            rest = after;
        }
    }
    Some(steps)
}

/// The name between quotes, if nothing in it needs them.
fn quoted(text: &str) -> Option<String> {
    let text = text.trim();
    let between = |quote: char| text.strip_prefix(quote)?.strip_suffix(quote);
    let name = between('\'').or_else(|| between('"'))?;
    (!name.contains(['\\', '\'', '"'])).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn selected(path: &str, value: &Value) -> Vec<(String, Value)> {
        let mut out = Vec::new();
        JsonPath::parse(path)
            .unwrap()
            .visit(value.into(), &Fuel::of(10_000), &mut |at, v| out.push((at.to_string(), v.to_value())));
        out
    }

    #[test]
    fn simple_and_general_paths_say_where_they_found_it() {
        let value = json!({"m": [{"size": "1 cm"}, {"site": "x"}, {"size": "2 cm"}]});
        assert_eq!(
            selected("$.m[*].size", &value),
            [("/m/0/size".into(), json!("1 cm")), ("/m/2/size".into(), json!("2 cm"))]
        );
        assert_eq!(selected("$..size", &value), selected("$.m[*].size", &value));
        assert_eq!(selected("$.m[-1].size", &value), [("/m/2/size".into(), json!("2 cm"))]);
        assert_eq!(selected("$.m[?@.size=='2 cm'].size", &value), [("/m/2/size".into(), json!("2 cm"))]);
        assert_eq!(selected("$['m'][0]['size']", &value), [("/m/0/size".into(), json!("1 cm"))]);
        assert_eq!(selected("$", &value).len(), 1);
    }

    #[test]
    fn what_would_exhaust_the_parser_is_refused() {
        for (open, close, times) in
            [("(", ")", 5_000), ("!(", ")", 200), ("[?@", "]", 20), ("@.a||", "", 500)]
        {
            let path = format!("$[?{}@.a{}]", open.repeat(times), close.repeat(times));
            let error = JsonPath::parse(&path).unwrap_err();
            assert!(error.message.contains("nested") || error.message.contains("longer"), "{error}");
        }
        let value = json!({"((((((((((": 1});
        assert_eq!(selected("$['((((((((((']", &value).len(), 1);
        assert!(JsonPath::parse("$[?(((@.a==1)))]").is_ok());
    }

    #[test]
    fn what_would_select_without_end_is_refused() {
        for path in [
            "$..*..*..*..*..*..*",
            "$[*,*][*,*][*,*][*,*][*,*][*,*][*,*][*,*][*,*][*,*]",
            "$['a','a']['a','a']",
            "$..['a','a','a','a']['a','a','a','a','a','a']['a','\\u0061','a','a','a','a']['a','a','a','a','a','a']['a','a','a']",
            "$[?$..a || $..b || $..c || $..d]",
            "$[?search(@.a, '(a{1000}){1000}')]",
            "$[?match(@.a, '(')]",
            "$[?search(@.a, @.b)]",
        ] {
            assert!(JsonPath::parse(path).is_err(), "{path}");
        }
        for path in
            ["$..a..b", "$['a','b','c']..d", "$[?search(@.a, '^\\\\d+$')]", "$[?@.a == $.b].c", "$[1,2]"]
        {
            assert!(JsonPath::parse(path).is_ok(), "{path}: {}", JsonPath::parse(path).unwrap_err());
        }
    }

    #[test]
    fn what_a_path_looks_at_is_counted_before_it_does() {
        let nested = |levels: usize| (0..levels).fold(json!(1), |value, _| json!({"a": value, "b": 1}));
        let steps = |path: &str, value: &Value| {
            let fuel = Fuel::of(u64::MAX);
            JsonPath::parse(path).unwrap().visit(value.into(), &fuel, &mut |_, _| {});
            fuel.spent()
        };
        for path in ["$..b", "$.*.*", "$..[?@.b]"] {
            let (few, more) = (steps(path, &nested(20)), steps(path, &nested(40)));
            assert!(more <= few * 5 / 2, "{path}: {few} {more}");
        }
        let fuel = Fuel::of(1_000);
        let mut found = 0;
        JsonPath::parse("$..*..*..*").unwrap().visit((&nested(40)).into(), &fuel, &mut |_, _| found += 1);
        assert_eq!((found, fuel.is_spent()), (0, true));
    }

    #[test]
    fn what_is_no_path_is_refused_with_its_position() {
        let error = JsonPath::parse("$.a[").unwrap_err();
        assert!(error.position <= 4);
        assert!(JsonPath::parse("grade").is_err());
    }

    proptest! {
        /// Our walk and the library's must agree on every simple path.
        #[test]
        fn the_walk_agrees_with_the_library(
            steps in proptest::collection::vec(prop_oneof![Just(".a"), Just("[0]"), Just("[*]"), Just(".*"), Just("['b']"), Just("['b', \"a\"]"), Just("[-1]")], 0..5)
        ) {
            let value = json!({"a": [{"b": 1, "a": [2, 3]}, [4, {"b": {"a": 5}}]], "b": {"a": {"b": [6]}}});
            let path = format!("${}", steps.concat());
            prop_assert!(JsonPath::parse(&path).unwrap().steps().is_some());
            let ours: Vec<Value> = selected(&path, &value).into_iter().map(|(_, v)| v).collect();
            let library = serde_json_path::JsonPath::parse(&path).unwrap();
            let theirs: Vec<Value> = library.query(&value).all().into_iter().cloned().collect();
            prop_assert_eq!(ours, theirs);
        }
    }
}
