//! Vocabularies: which phrases of a text mean which value of a field.

use super::checks::pattern;
use super::phrase::{Phrase, is_gap, is_special};
use crate::diag::{Code, Problem, Problems, Span, nearest};
use crate::mapping;
use crate::value::decode::{Fields, Spanned};
use crate::value::shape::{Shape, by_name};
use std::collections::BTreeMap;

mapping! {
    /// The phrases of a text that mean each value of a field: "free of tumor" also means `margins: negative`.
    "vocabulary" is "vocabulary", checked by Vocabulary::check;
    #[derive(Debug, Clone)]
    pub struct Vocabulary {
        /// The vocabulary's name, for readers.
        #[key(examples(&["margin-status"]))]
        pub vocabulary: Option<String>,
        /// The purpose of the vocabulary.
        #[key(examples(&["The state of resection margins"]))]
        pub description: Option<String>,
        /// Another vocabulary, by name. Anything that this one does not set is inherited: mappings merge key by key,
        /// lists replace, `null` takes a key away.
        #[key(examples(&["margin-status"]))]
        pub extends: Option<String>,
        /// Names of fields, in any spelling, that are read with this vocabulary where the rubric says nothing else. A
        /// field is found in texts by its own name and by its `synonyms` in the rubric, not by other names in this
        /// list.
        #[key(default("[]"), examples(&["[margins, marginStatus, surgicalMargins]"]))]
        pub fields: Vec<String>,
        /// The canonical values, each with the phrases that say it: regular expressions, in any case, which match whole words; a
        /// space matches any blanks, hyphens or underscores. The canonical value itself is a phrase of its own. A phrase
        /// between `^` and `$` is read in values only, not in texts.
        #[key(
            required,
            missing("add `values:` with the phrases of each value"),
            shaped(|| by_name("VALUE", "Phrases that say this value.", || Shape::list(Shape::text("a phrase")))),
            examples(&["{ negative: [free of, uninvolved], positive: [involved, extends to] }"])
        )]
        pub values: BTreeMap<String, Vec<Spanned<String>>> => |_| BTreeMap::new(),
        /// The value that a phrase says when it is negated: `no`, `not`, `without` before it. Without it a negated
        /// phrase says nothing.
        #[key(
            default("{}"),
            shaped(|| by_name("VALUE", "What it says when it is negated.", || Shape::text("a value of this vocabulary"))),
            examples(&["{ positive: negative }"])
        )]
        pub opposite: BTreeMap<String, String>,
        /// Of several mentions of one field in equally final parts of a document, the value that a careful reader reports.
        /// Without it, mentions that differ conflict. Where it is the `opposite` of what a more final part says, the two conflict,
        /// unless it is preliminary, of the gross description, or no more than history.
        #[key(examples(&["positive"]))]
        pub prefer: Option<String>,
        /// Counts phrases wherever they appear, not only beside a name of the field: no one writes "laterality: left".
        #[key(default("false"), examples(&["true"]))]
        pub anywhere: bool,
        /// The values that the name of the field itself says when a text affirms or negates it: the canonical values
        /// for both. "No lymphovascular invasion" then says `absent` of `lymphovascularInvasion`.
        #[key(examples(&["{ affirmed: present, negated: absent }"]))]
        pub named: Option<Named>,
        /// The meaning of `true` and `false` in a candidate. Without it, truth values are not read with this
        /// vocabulary.
        #[key(examples(&["{ affirmed: present, negated: absent }"]))]
        pub booleans: Option<Named>,
    }
}

mapping! {
    /// Two values of a vocabulary: for what is so, and for what is not.
    "affirmed_and_negated" is "pair of values", expects "`{ affirmed: present, negated: absent }`";
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Named {
        /// The value for what is so.
        #[key(required, examples(&["present"]))]
        pub affirmed: String => |_| String::new(),
        /// The value for what is not.
        #[key(required, examples(&["absent"]))]
        pub negated: String => |_| String::new(),
    }
}

impl Vocabulary {
    /// A vocabulary that a rubric lists beside a field.
    pub(super) fn of_values(values: BTreeMap<String, Vec<Spanned<String>>>) -> Self {
        Vocabulary {
            vocabulary: None,
            description: None,
            extends: None,
            fields: Vec::new(),
            values,
            opposite: BTreeMap::new(),
            prefer: None,
            anywhere: false,
            named: None,
            booleans: None,
        }
    }

    fn check(&self, fields: &Fields<'_>, problems: &mut Problems) {
        check_values(&self.values, fields.key_span("values").unwrap_or(fields.span()), problems);
        let pairs = [("named", &self.named), ("booleans", &self.booleans)];
        let named = pairs.iter().flat_map(|(key, pair)| {
            pair.iter().flat_map(|pair| [&pair.affirmed, &pair.negated]).map(|value| (*key, value))
        });
        let opposite = self.opposite.iter().flat_map(|(from, to)| [from, to]);
        let used = opposite
            .map(|value| ("opposite", value))
            .chain(self.prefer.iter().map(|value| ("prefer", value)))
            .chain(named);
        for (key, value) in used {
            if self.values.contains_key(value) {
                continue;
            }
            let span = fields.key_span(key).unwrap_or(fields.span());
            let message = format!("`{key}` names `{value}`, which is not a value of this vocabulary");
            let problem = Problem::error(Code::UnknownName, span, message);
            problems.push(problem.help(match nearest(value, self.values.keys().map(String::as_str)) {
                Some(guess) => format!("did you mean `{guess}`?"),
                None => format!("known: {}", listed(&self.values)),
            }));
        }
    }

    /// Every phrase, with the canonical value that it says. The canonical values themselves are among them.
    pub fn phrases(&self) -> impl Iterator<Item = (&str, Phrase)> {
        self.values.iter().flat_map(|(value, phrases)| {
            let own = std::iter::once(Phrase::of_value(value));
            let others = phrases.iter().map(|phrase| Phrase::new(&phrase.value));
            own.chain(others).map(move |phrase| (value.as_str(), phrase))
        })
    }
}

fn listed(values: &BTreeMap<String, Vec<Spanned<String>>>) -> String {
    values.keys().map(|value| format!("`{value}`")).collect::<Vec<_>>().join(", ")
}

/// Checks phrases: each must be a pattern, and say one value.
pub(super) fn check_values(
    values: &BTreeMap<String, Vec<Spanned<String>>>,
    span: &Span,
    problems: &mut Problems,
) {
    if values.is_empty() {
        let problem = Problem::error(Code::Empty, span, "a vocabulary needs at least one value");
        problems.push(problem.help("write the values that the field may have, each with its phrases"));
    }
    // Phrases that ship have been checked by the tests, and a profile reads thousands of them.
    if values.values().flatten().all(|phrase| phrase.span.file().is_shipped()) {
        return;
    }
    let mut said: BTreeMap<String, (&str, Option<&Span>)> =
        values.keys().map(|value| (folded(value), (value.as_str(), None))).collect();
    let mut all: Vec<(&String, &Spanned<String>)> = values
        .iter()
        .flat_map(|(value, phrases)| phrases.iter().map(move |phrase| (value, phrase)))
        .collect();
    all.sort_by_key(|(_, phrase)| phrase.span.start());
    for (value, phrase) in all {
        if phrase.value.trim().is_empty() {
            let problem = Problem::error(Code::Empty, &phrase.span, "an empty phrase is found everywhere");
            problems.push(problem.help("write the words to look for"));
            continue;
        }
        // Most are plain words.
        if phrase.value.contains(is_special)
            && pattern(Phrase::new(&phrase.value).marked(), true, &phrase.span, problems).is_none()
        {
            continue;
        }
        match said.get(&folded(&phrase.value)) {
            Some((other, place)) if other != value => {
                let message = format!("`{}` says both `{other}` and `{value}`", phrase.value);
                let problem = Problem::error(Code::Conflict, &phrase.span, message);
                let problem = match place {
                    Some(place) => problem.related(place, "first here"),
                    None => problem,
                };
                problems.push(problem.help("a phrase says one value: take it out of the other"));
            }
            Some(_) => {}
            None => {
                said.insert(folded(&phrase.value), (value, Some(&phrase.span)));
            }
        }
    }
}

/// A phrase without what makes no difference to where it is found.
fn folded(phrase: &str) -> String {
    // `(?-i:US)` and `us` are different phrases, `a b` and `A  b` are not.
    if phrase.contains("(?") {
        return phrase.to_owned();
    }
    phrase.split(is_gap).filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ").to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::SourceFile;
    use crate::value::yaml;

    fn problems(text: &str) -> Vec<String> {
        let file = SourceFile::new("v.yaml", text);
        let mut problems = Problems::new();
        let node = yaml::parse(&file, &mut problems).unwrap();
        let _ = Vocabulary::read_mapping(&node, &mut problems);
        problems.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn what_is_not_there_and_what_says_two_values_is_named() {
        let text = "values:\n  yes: [seen, 'not (seen']\n  no: [unseen, Seen]\n  maybe: ['NO', 'x{9999}{9999}']\n\
            prefer: yess\nopposite: { yes: nope }\nnamed: { affirmed: yes, negated: none }\n\
            booleans: { affirmed: yes, negated: no }\n";
        assert_eq!(
            problems(text),
            [
                "v.yaml:2:15: error[LC301]: this pattern does not compile: unclosed group",
                "v.yaml:3:16: error[LC106]: `Seen` says both `yes` and `no`",
                "v.yaml:4:11: error[LC106]: `NO` says both `no` and `maybe`",
                "v.yaml:4:17: error[LC301]: this pattern is too large: more than 1048576 bytes when compiled",
                "v.yaml:6:1: error[LC205]: `opposite` names `nope`, which is not a value of this vocabulary",
                "v.yaml:5:1: error[LC205]: `prefer` names `yess`, which is not a value of this vocabulary",
                "v.yaml:7:1: error[LC205]: `named` names `none`, which is not a value of this vocabulary",
            ]
        );
    }
}
