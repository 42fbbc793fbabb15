//! Rubrics: which fields a document type should have, how much each weighs, and what fields are called in texts.

use super::applies::AppliesWhen;
use super::checks::pattern;
use super::concept::Concept;
use super::each::Each;
use super::vocabulary::check_values;
use crate::diag::{Code, Problem, Problems};
use crate::value::decode::{Decode, Spanned, wrong_type};
use crate::value::shape::{Shape, by_name};
use crate::value::yaml::{Data, Node};
use crate::value::{Severity, TextPattern};
use crate::{decode_words, mapping};
use std::collections::BTreeMap;

/// The importance of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Importance {
    /// Its absence is a major issue.
    Required,
    /// Its absence is a minor issue.
    Important,
    /// Its absence is not an issue.
    Optional,
}

impl Importance {
    /// From the weightiest down.
    pub const ALL: [Importance; 3] = [Importance::Required, Importance::Important, Importance::Optional];

    /// The word in a rubric.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Importance::Required => "required",
            Importance::Important => "important",
            Importance::Optional => "optional",
        }
    }
}

mapping! {
    /// The fields that a document of each type should have, what each weighs, and what texts call them. Completeness is
    /// the weight of the fields that are present divided by the weight of all.
    "rubric" is "rubric";
    #[derive(Debug, Clone)]
    pub struct Rubric {
        /// The rubric's name, for readers.
        #[key(examples(&["clinical"]))]
        pub rubric: Option<String>,
        /// The purpose of the rubric.
        #[key(examples(&["Clinical documents of eight types"]))]
        pub description: Option<String>,
        /// Another rubric, by name. Anything that this one does not set is inherited: mappings merge key by key, lists
        /// replace, `null` takes a key away.
        #[key(examples(&["clinical"]))]
        pub extends: Option<String>,
        /// Vocabularies by which values of fields are read in texts: `margin-status` means
        /// `rules/vocabularies/margin-status.yaml`. Each reads the fields that it lists, and those that name it as their
        /// `values`. A rubric that extends another has those, too, after its own; `null` takes them away.
        #[key(
            default("[]"),
            shaped(|| Shape::list(Shape::text("a file under `rules/vocabularies/`, without `.yaml`"))),
            examples(&["[grade, margin-status]"])
        )]
        pub vocabularies: Vec<Spanned<String>>,
        /// The context that says how texts assert what they mention: `context` means `rules/context.yaml`. Without
        /// it, everything that a text mentions is affirmed.
        #[key(text("a file under `rules/`, without `.yaml`"), examples(&["context"]))]
        pub context: Option<Spanned<String>>,
        /// The weight of a present field, by its importance.
        #[key(examples(&["{ required: 1.0, important: 0.7, optional: 0.3 }"]))]
        pub weights: Weights => |_| Weights::default(),
        /// Knowledge about fields, independent of the document type. A field that is not listed is known by its name
        /// only.
        #[key(
            shaped(|| by_name("FIELD", "What is known of this field.", FieldKnowledge::shape)),
            examples(&["{ grade: { synonyms: [histologic grade], mentions: ['\\bgrade\\s+[1-3]\\b'] } }"])
        )]
        pub fields: BTreeMap<String, FieldKnowledge> => |_| BTreeMap::new(),
        /// The fields that a document of each type should have. A type that is not listed has none.
        #[key(
            required,
            missing("add `types:` with the fields of each document type"),
            shaped(|| by_name("TYPE", "The fields of this document type.", TypeFields::shape)),
            examples(&["{ pathology: { required: [histology, grade], important: [ihcMarkers], optional: [date] } }"])
        )]
        pub types: BTreeMap<String, TypeFields> => |_| BTreeMap::new(),
        /// The severity when a document has a row of a table of which a list has its neighbours, or labels a value with
        /// the name of a field that is missing, while values are checked against documents. It costs nothing.
        #[key(default("minor"), examples(&["major"]))]
        pub left_behind: Severity,
        /// Kinds of which a document may hold several, such as specimens: each has a part of the text, and one item of
        /// a list in the extraction. Grounding checks an item against its own part, and reports which part has none.
        #[key(
            default("{}"),
            shaped(|| by_name("KIND", "How the parts of this kind are found.", Each::shape)),
            examples(&["{ specimen: { types: [pathology], list: specimens, headings: ['^(?P<label>(?-i:[A-Z]))[.:)] '] } }"])
        )]
        pub each: BTreeMap<String, Each>,
        /// Document types whose results `loopctl runs export` can write as FHIR, as a diagnostic report each, and what the report
        /// is called. A type that is not listed can't be written so.
        #[key(
            default("{}"),
            shaped(|| by_name("TYPE", "What the report of this document type is called.", Concept::shape)),
            examples(&["{ pathology: { text: Pathology report } }"])
        )]
        pub fhir: BTreeMap<String, Concept>,
    }
}

/// The fields of a document type, required ones first, then in file order.
#[derive(Debug, Clone, Default)]
pub struct TypeFields(pub Vec<(Importance, String)>);

mapping! {
    /// The weight of a present field, by its importance: 0 or more, in proportion to each other.
    "weights" is "table of weights", expects "`{ required: 1.0, important: 0.7, optional: 0.3 }`", all default;
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub struct Weights {
        /// A required field.
        #[key(number(0.0, 1e6), default("1.0"), examples(&["2"]))]
        pub required: f64,
        /// An important field.
        #[key(number(0.0, 1e6), default("0.7"), examples(&["1"]))]
        pub important: f64,
        /// An optional field.
        #[key(number(0.0, 1e6), default("0.3"), examples(&["0"]))]
        pub optional: f64,
    }
}

impl Weights {
    /// The weight of a field of this importance.
    #[must_use]
    pub fn of(&self, importance: Importance) -> f64 {
        match importance {
            Importance::Required => self.required,
            Importance::Important => self.important,
            Importance::Optional => self.optional,
        }
    }
}

mapping! {
    /// The fields of a document type. A field appears in one of the lists.
    "document_type" is "document type";
    struct Listed {
        /// Fields whose absence is a major issue.
        #[key(default("[]"), shaped(field_names), examples(&["[histology, grade]"]))]
        required: Vec<Spanned<String>>,
        /// Fields whose absence is a minor issue.
        #[key(default("[]"), shaped(field_names), examples(&["[ihcMarkers]"]))]
        important: Vec<Spanned<String>>,
        /// Fields whose absence costs points and is not a mistake: an issue of severity `info`, which counts nowhere.
        #[key(default("[]"), shaped(field_names), examples(&["[date]"]))]
        optional: Vec<Spanned<String>>,
    }
}

fn field_names() -> Shape {
    Shape::list(Shape::text("the name of a top-level field"))
}

impl Decode for TypeFields {
    const EXPECTED: &'static str = "`{ required: [FIELD], important: [FIELD], optional: [FIELD] }`";

    fn shape() -> Shape {
        Shape::Mapping(Listed::mapping())
    }

    fn decode(node: &Node, problems: &mut Problems) -> Option<Self> {
        let Listed { required, important, optional } = Listed::read_mapping(node, problems)?;
        let mut list: Vec<(Importance, Spanned<String>)> = Vec::new();
        for (importance, names) in Importance::ALL.into_iter().zip([required, important, optional]) {
            for name in names {
                if let Some((_, first)) = list.iter().find(|(_, known)| known.value == name.value) {
                    let message = format!("the field `{}` is listed twice", name.value);
                    let problem = Problem::error(Code::Conflict, &name.span, message);
                    problems
                        .push(problem.related(&first.span, "first here").help("a field has one importance"));
                } else if name.value.is_empty() {
                    problems.push(Problem::error(Code::Empty, &name.span, "a field needs a name"));
                } else {
                    list.push((importance, name));
                }
            }
        }
        Some(TypeFields(list.into_iter().map(|(importance, name)| (importance, name.value)).collect()))
    }
}

mapping! {
    /// Knowledge about a field.
    "field" is "field", expects "a mapping with `synonyms`, `mentions`, `suggestion`, `values`, `unit`, `applies_when`, `left_behind`, `item_key` and `keys`", all default;
    #[derive(Debug, Clone)]
    pub struct FieldKnowledge {
        /// If one of these is found in the text, in upper or lower case, the text mentions the field. Then
        /// `FIELD_status: not_present` is not believed.
        #[key(
            default("[]"),
            shaped(|| Shape::list(Shape::text("a regular expression"))),
            examples(&["['\\bgrade\\s+[1-3]\\b']"])
        )]
        pub mentions: Vec<TextPattern> as Vec<String> = patterns,
        /// The names that the keys inside the field may have in a text.
        #[key(
            default("{}"),
            shaped(|| by_name("KEY", "What this key inside the field may be called.", KeyKnowledge::shape)),
            examples(&["{ ER: { synonyms: [estrogen receptor] } }"])
        )]
        pub keys: BTreeMap<String, KeyKnowledge>,
        /// The names that the field may have in a text; grounding looks for its value beside these.
        #[key(default("[]"), examples(&["[histologic grade, differentiation]"]))]
        pub synonyms: Vec<String>,
        /// Advice for when it is missing; it is fed back. Without it nothing is suggested.
        #[key(examples(&["look for the histologic grade"]))]
        pub suggestion: Option<String>,
        /// The phrases for its values in texts: the name of a vocabulary, or the values themselves, each with its
        /// phrases. Without it, the first of the rubric's `vocabularies` that lists the field's name, if one does.
        #[key(examples(&["margin-status", "{ sessile: [sessile], pedunculated: [pedunculated, on a stalk] }"]))]
        pub values: Option<FieldValues>,
        /// The unit of a number that the field holds, which a text may give in another: `66` is then said by `6.6 cm`.
        /// Without it the field's name (`tumorSizeMm`) or the value says so.
        #[key(text("a unit"), examples(&["mm"]))]
        pub unit: Option<Spanned<String>>,
        /// The distance that a number may have from the true one and still count as right in `loopctl evaluate`, in the
        /// field's unit: 0 or more. Without it, numbers must be equal.
        #[key(number(0.0, 1e9), examples(&["0.5"]))]
        pub tolerance: Option<f64>,
        /// The source from which the host takes it. No stage is asked for it: it is filled into what a stage answers,
        /// where there is something, and costs no tokens. Without it, stages are asked for the field.
        #[key(examples(&["source"]))]
        pub from: Option<KnownFrom>,
        /// The condition under which the field applies at all: one over other fields, in the language of rules. Where
        /// it does not hold, and the document supports the values of all fields that it inspects, the field leaves both
        /// sums when it is missing, unless one of its `mentions` is found in the text. Without it, the field always
        /// applies.
        #[key(examples(&["{ not: { field: histology, contains: melanoma } }"]))]
        pub applies_when: Option<AppliesWhen>,
        /// The severity when a document has a row that the field, a list, lacks, or a labelled value of it: its list is
        /// to have all rows of its tables. Without it, as the rubric says; then it takes two items to recognize a
        /// table, and a list that has only some of the rows may be meant so.
        #[key(examples(&["critical"]))]
        pub left_behind: Option<Severity>,
        /// The member of the items, if the field is a list, whose text names each of them: a value of an item is
        /// verified only beside it. Without it, the member that has `x-key` in the schema, else the first text that no
        /// other item of the list has.
        #[key(text("a key of the items"), examples(&["marker"]))]
        pub item_key: Option<String>,
        /// The name of the field in an export as FHIR. Without it, its own name, without a code.
        #[key(examples(&["{ text: Histologic grade }"]))]
        pub fhir: Option<Concept>,
    }
}

/// A fact that the host knows about a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KnownFrom {
    /// The document's text, as the stages may see it.
    Source,
    /// The name of its file.
    FileName,
    /// Its type.
    DocumentType,
}

decode_words!(KnownFrom, "thing that is known of a document", {
    "source": "The document's text, as the stages see it (masked, where the profile masks)." => KnownFrom::Source,
    "file_name": "The name of the document's file, without folders." => KnownFrom::FileName,
    "document_type": "The document's type, given or found." => KnownFrom::DocumentType,
});

fn patterns(node: &Node, problems: &mut Problems) -> Option<Vec<TextPattern>> {
    let written = Vec::<Spanned<String>>::decode(node, problems)?;
    Some(written.iter().filter_map(|one| pattern(&one.value, true, &one.span, problems)).collect())
}

mapping! {
    /// Knowledge about a key inside a field.
    "key" is "key", expects "a mapping with `synonyms`, `values`, `unit` and `tolerance`";
    #[derive(Debug, Clone)]
    pub struct KeyKnowledge {
        /// The names that it may have in a text.
        #[key(default("[]"), examples(&["[estrogen receptor]"]))]
        pub synonyms: Vec<String>,
        /// The phrases for its values in texts, as for a field.
        #[key(examples(&["receptor-status"]))]
        pub values: Option<FieldValues>,
        /// The unit of a number that it holds, as for a field.
        #[key(text("a unit"), examples(&["mm"]))]
        pub unit: Option<Spanned<String>>,
        /// The distance that a number may have from the true one, as for a field.
        #[key(number(0.0, 1e9), examples(&["0.5"]))]
        pub tolerance: Option<f64>,
    }
}

/// The phrases for the values of a field in texts.
#[derive(Debug, Clone)]
pub enum FieldValues {
    /// Those of a vocabulary.
    Vocabulary(Spanned<String>),
    /// Those that are listed here.
    Own(BTreeMap<String, Vec<Spanned<String>>>),
}

impl Decode for FieldValues {
    const EXPECTED: &'static str = "the name of a vocabulary, or `{ VALUE: [PHRASE] }`";

    fn shape() -> Shape {
        let phrases = || Shape::list(Shape::text("a phrase"));
        Shape::AnyOf(vec![
            Shape::text("a file under `rules/vocabularies/`, without `.yaml`"),
            by_name("VALUE", "Phrases that say this value.", phrases),
        ])
    }

    fn decode(node: &Node, problems: &mut Problems) -> Option<Self> {
        match &node.data {
            Data::Map(_) => {
                let values = BTreeMap::decode(node, problems)?;
                check_values(&values, &node.span, problems);
                Some(FieldValues::Own(values))
            }
            Data::Text { .. } => Spanned::decode(node, problems).map(FieldValues::Vocabulary),
            _ => wrong_type(node, Self::EXPECTED, problems),
        }
    }
}
