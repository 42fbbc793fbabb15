//! Passages: if a clause says a value where its field belongs, whole, and as a fact.

use super::claim::{Claim, ParsedClaim, Presence, ShareNumber, ValueKind, fold};
use super::cues::{Cues, cues_of, is_same};
use super::naming::{Naming, naming};
use super::search::affirms;
use super::sentence::Clause;
use super::tokens::Token;
use super::{assertion, exactness};
use crate::document::Document;
use crate::find::places;
use crate::quantity;
use serde_json::Value;
use std::collections::HashSet;
use std::fmt;
use std::ops::Range;
use std::str::FromStr;

/// The reason why a passage, though it has a value, does not say it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Doubt {
    /// There is nothing to read.
    NoWords,
    /// The box before it is not ticked.
    NotTicked,
    /// A word of doubt is in the statement.
    Uncertain,
    /// A word for another person is.
    AnotherPerson,
    /// A word for another time is, or a label of one is above it.
    AnotherTime,
    /// A word for a condition, a plan or a method is.
    Conditional,
    /// A denial reaches it.
    Denied,
    /// It is one of several.
    Alternative,
    /// It says that something is absent, and no denial is near.
    NotDenied,
    /// There is more than one denial.
    DeniedTwice,
    /// The denial is of something else.
    DeniesAnother,
    /// It says that something is present, and only its name is there.
    NotAffirmed,
    /// It is a limit.
    Limit,
    /// It is an end of a range.
    RangeEnd,
    /// The statement lacks digits of it.
    OtherDigits,
    /// It is another code.
    OtherCode,
    /// It is a part of a longer word.
    PartOfWord,
    /// The year is of another century.
    OtherCentury,
    /// Another number is nearer to the item.
    NotNearest,
    /// It is of another unit than the field's.
    OtherUnit,
    /// The label of its field is before something else.
    LabelElsewhere,
    /// It numbers an entry of a list.
    Numbering,
    /// It is the value of another field of the record, which is named there.
    ClaimedByAnother,
    /// A word that tells the field from its neighbours is not beside it.
    OtherRole,
}

impl Doubt {
    /// Every reason.
    pub const ALL: [Doubt; 24] = [
        Doubt::NoWords,
        Doubt::NotTicked,
        Doubt::Uncertain,
        Doubt::AnotherPerson,
        Doubt::AnotherTime,
        Doubt::Conditional,
        Doubt::Denied,
        Doubt::Alternative,
        Doubt::NotDenied,
        Doubt::DeniedTwice,
        Doubt::DeniesAnother,
        Doubt::NotAffirmed,
        Doubt::Limit,
        Doubt::RangeEnd,
        Doubt::OtherDigits,
        Doubt::OtherCode,
        Doubt::PartOfWord,
        Doubt::OtherCentury,
        Doubt::NotNearest,
        Doubt::OtherUnit,
        Doubt::LabelElsewhere,
        Doubt::Numbering,
        Doubt::ClaimedByAnother,
        Doubt::OtherRole,
    ];

    /// Returns whether the passage prints another value, of which the claim's value is only a part.
    pub(super) fn is_part_of_another(self) -> bool {
        match self {
            Doubt::Limit
            | Doubt::RangeEnd
            | Doubt::OtherDigits
            | Doubt::OtherCode
            | Doubt::PartOfWord
            | Doubt::OtherCentury
            | Doubt::OtherUnit
            | Doubt::Numbering => true,
            Doubt::NoWords
            | Doubt::NotTicked
            | Doubt::Uncertain
            | Doubt::AnotherPerson
            | Doubt::AnotherTime
            | Doubt::Conditional
            | Doubt::Denied
            | Doubt::Alternative
            | Doubt::NotDenied
            | Doubt::DeniedTwice
            | Doubt::DeniesAnother
            | Doubt::NotAffirmed
            | Doubt::NotNearest
            | Doubt::LabelElsewhere
            | Doubt::ClaimedByAnother
            | Doubt::OtherRole => false,
        }
    }

    /// The name in results.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Doubt::NoWords => "no_words",
            Doubt::NotTicked => "not_ticked",
            Doubt::Uncertain => "uncertain",
            Doubt::AnotherPerson => "another_person",
            Doubt::AnotherTime => "another_time",
            Doubt::Conditional => "conditional",
            Doubt::Denied => "denied",
            Doubt::Alternative => "alternative",
            Doubt::NotDenied => "not_denied",
            Doubt::DeniedTwice => "denied_twice",
            Doubt::DeniesAnother => "denies_another",
            Doubt::NotAffirmed => "not_affirmed",
            Doubt::Limit => "limit",
            Doubt::RangeEnd => "range_end",
            Doubt::OtherDigits => "other_digits",
            Doubt::OtherCode => "other_code",
            Doubt::PartOfWord => "part_of_word",
            Doubt::OtherCentury => "other_century",
            Doubt::NotNearest => "not_nearest",
            Doubt::OtherUnit => "other_unit",
            Doubt::LabelElsewhere => "label_elsewhere",
            Doubt::Numbering => "numbering",
            Doubt::ClaimedByAnother => "claimed_by_another",
            Doubt::OtherRole => "other_role",
        }
    }

    /// The words that report it to users, after `the passage `.
    #[must_use]
    pub fn reason(self) -> &'static str {
        match self {
            Doubt::NoWords => "has no words to read",
            Doubt::NotTicked => "is an option that is not ticked",
            Doubt::Uncertain => "says it with doubt",
            Doubt::AnotherPerson => "may be about another person",
            Doubt::AnotherTime => "may be about another time",
            Doubt::Conditional => "may be a condition, a plan or a method",
            Doubt::Denied => "holds a denial that may reach it",
            Doubt::Alternative => "gives it as one of several",
            Doubt::NotDenied => "holds no denial",
            Doubt::DeniedTwice => "holds more than one denial",
            Doubt::DeniesAnother => "denies something else",
            Doubt::NotAffirmed => "has the name and no value",
            Doubt::Limit => "gives it as a limit",
            Doubt::RangeEnd => "gives it as the end of a range",
            Doubt::OtherDigits => "lacks digits of it",
            Doubt::OtherCode => "has another code",
            Doubt::PartOfWord => "has it as a part of a longer word",
            Doubt::OtherCentury => "has a year of another century",
            Doubt::NotNearest => "has another number nearer to the item",
            Doubt::OtherUnit => "gives it in another unit",
            Doubt::LabelElsewhere => "is not behind the label of the field, which the document has elsewhere",
            Doubt::Numbering => "has it as the number of an entry",
            Doubt::ClaimedByAnother => "names another field, which has the value, too",
            Doubt::OtherRole => "lacks the word that tells the field from its neighbours",
        }
    }
}

/// The kind of a value, and how the words around it name its field: how often passages of a pattern are right can be
/// counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Pattern {
    /// The kind of the value.
    pub kind: ValueKind,
    /// The naming of its field.
    pub naming: Naming,
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.kind.as_str(), self.naming.as_str())
    }
}

impl FromStr for Pattern {
    type Err = UnknownPattern;

    fn from_str(text: &str) -> Result<Self, UnknownPattern> {
        let (kind, naming) = text.split_once('/').ok_or(UnknownPattern)?;
        let kind = ValueKind::ALL.into_iter().find(|known| known.as_str() == kind).ok_or(UnknownPattern)?;
        let naming = Naming::ALL.into_iter().find(|known| known.as_str() == naming).ok_or(UnknownPattern)?;
        Ok(Pattern { kind, naming })
    }
}

/// A text that is not a pattern: `kind/naming` was expected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnknownPattern;

impl fmt::Display for UnknownPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("unknown pattern of a passage; expected a kind and a naming, such as `number/statement`")
    }
}

impl std::error::Error for UnknownPattern {}

/// Reads the passage at some bytes of a document for a claim.
///
/// # Errors
///
/// The reason why the passage does not say the value, though it may hold it.
pub fn read_passage(document: &Document, claim: &Claim<'_>, bytes: &Range<usize>) -> Result<Pattern, Doubt> {
    let given = claim;
    let claim = ParsedClaim::new(claim);
    let tokens = document.tokens();
    let clause = Clause::around(tokens, tokens.over(bytes.start, bytes.end)).ok_or(Doubt::NoWords)?;
    if let Some(doubt) = assertion::doubt(&tokens.all, &clause, &claim) {
        return Err(doubt);
    }
    if let Some(doubt) = exactness::doubt(document.text(), tokens, &clause, &claim) {
        return Err(doubt);
    }
    let share = exactness::share(&tokens.all, &clause).zip(claim.asks_for());
    let is_of_all = exactness::share(&tokens.all, &clause) == Some(ShareNumber::All);
    if share.is_some_and(|(printed, asked)| printed != asked) || is_of_all && claim.unit().is_some() {
        return Err(Doubt::OtherRole);
    }
    if is_of_other_unit(document, &clause, &claim, bytes.start) {
        return Err(Doubt::OtherUnit);
    }
    if is_of_other_side(&tokens.all, &clause, &claim) || is_distance(&tokens.all, &clause, &claim) {
        return Err(Doubt::OtherRole);
    }
    let kind = kind(document, &clause, &claim);
    if kind == ValueKind::Mention && claim.words.iter().any(|word| cues_of(word).any(Cues::RESULT)) {
        return Err(Doubt::NotAffirmed);
    }
    let naming = naming(document, &clause, &claim, kind);
    if is_behind_other_label(&tokens.all, &clause, &claim, kind, naming) {
        return Err(Doubt::OtherRole);
    }
    if is_of_another_item(&claim, naming)
        || kind == ValueKind::Choice && lacks_word(document, &clause, &claim)
    {
        return Err(Doubt::OtherRole);
    }
    if naming == Naming::OtherWords && lacks_role(&tokens.all, &clause, &claim) {
        return Err(Doubt::OtherRole);
    }
    match doubt_of_item(document, given) {
        Some(doubt) => Err(doubt),
        None => Ok(Pattern { kind, naming }),
    }
}

/// Returns whether nothing near a member of an item names the item: it may be another one's.
fn is_of_another_item(claim: &ParsedClaim, naming: Naming) -> bool {
    let is_figure = claim.is_number || claim.is_number_text;
    match naming {
        Naming::Elsewhere => claim.is_of_item,
        Naming::Unnamed => claim.is_of_item && is_figure,
        Naming::Statement
        | Naming::Apart
        | Naming::Across
        | Naming::Synonym
        | Naming::Heading
        | Naming::Sentence
        | Naming::Partly
        | Naming::OtherWords
        | Naming::Item
        | Naming::Alone => false,
    }
}

/// Returns whether a short value is behind a label that names another thing, and nothing beside it names its field.
fn is_behind_other_label(
    all: &[Token],
    clause: &Clause,
    claim: &ParsedClaim,
    kind: ValueKind,
    naming: Naming,
) -> bool {
    let is_short =
        matches!(kind, ValueKind::Word | ValueKind::Number | ValueKind::Quantity | ValueKind::Choice);
    let lead = clause.value.start.checked_sub(1).and_then(|at| all.get(at));
    naming.is_weak()
        && is_short
        && !claim.is_of_item
        && lead.is_some_and(|token| token.is(":") || token.is("="))
}

/// Returns whether the field's name has a side, and the statement only another one.
fn is_of_other_side(all: &[Token], clause: &Clause, claim: &ParsedClaim) -> bool {
    let is_side = |name: &&String| cues_of(name).any(Cues::SIDE);
    let Some(side) = claim.names.iter().find(is_side).filter(|_| !claim.is_of_item) else { return false };
    let outside = clause.statement.iter().filter(|at| !clause.value.contains(at));
    let mut sides = outside.filter_map(|at| all.get(*at)).filter(|token| token.does(Cues::SIDE)).peekable();
    sides.peek().is_some() && !sides.any(|token| is_same(side, &token.folded))
}

/// The most tokens between a number and the word that makes it a distance.
const TO_DISTANCE: usize = 3;

/// Returns whether a number says how far something is from another thing, and the field is not about that.
fn is_distance(all: &[Token], clause: &Clause, claim: &ParsedClaim) -> bool {
    let after = all.get(clause.value.end..).unwrap_or_default().iter().take(TO_DISTANCE);
    let mut after = after.take_while(|token| token.is_word() || token.is("-"));
    claim.unit().is_some() && !claim.key_does(Cues::DISTANCE) && after.any(|token| token.does(Cues::DISTANCE))
}

/// Returns whether a number is printed in another unit than the field's name has, or in none that its statement says;
/// or with one, where the field counts something.
fn is_of_other_unit(document: &Document, clause: &Clause, claim: &ParsedClaim, start: usize) -> bool {
    if !claim.is_number {
        return false;
    }
    let printed = document.quantities().at(start).map(|quantity| quantity.unit);
    match (claim.unit(), printed) {
        (Some(asked), Some(printed)) => !asked.is_like(printed),
        (Some(asked), None) => {
            let all = &document.tokens().all;
            let is_quantity = |token: &Token| {
                document.quantities().at(token.start).is_some_and(|quantity| quantity.unit.is_like(asked))
            };
            if all.get(clause.sentence.clone()).unwrap_or_default().iter().any(is_quantity) {
                return true;
            }
            let is_unit = |token: &Token| quantity::unit(&token.folded).is_some_and(|unit| unit == asked);
            !all.get(clause.sentence.clone()).unwrap_or_default().iter().any(is_unit)
        }
        (None, Some(_)) => claim.asks_for().is_some(),
        (None, None) => false,
    }
}

/// The shortest word that tells one value from another.
const TELLING: usize = 5;

/// Returns whether the words of a passage are those of a claim's value in other forms or another order, with others
/// between them, or misspelt.
fn is_reworded(printed: &[&str], claim: &ParsedClaim) -> bool {
    let said = claim.telling().filter(|word| printed.iter().any(|said| is_same(word, said))).count();
    said > 0 && said * 2 >= claim.telling().count()
}

/// Returns whether the sentence lacks a word of the value that the document has in another place.
fn lacks_word(document: &Document, clause: &Clause, claim: &ParsedClaim) -> bool {
    let tokens = document.tokens();
    let said = tokens.all.get(clause.sentence.clone()).unwrap_or_default();
    let is_said = |word: &str| said.iter().any(|token| is_same(word, &token.folded));
    let telling =
        claim.words.iter().filter(|word| word.chars().count() >= TELLING && cues_of(word) == Cues::NONE);
    claim.words.len() > 1 && telling.into_iter().any(|word| !is_said(word) && tokens.has(word))
}

/// Returns whether the statement lacks a word of the field's name that tells it from its neighbours, as *positive* does
/// of `nodesPositive`.
fn lacks_role(all: &[Token], clause: &Clause, claim: &ParsedClaim) -> bool {
    let is_said = |name: &str| {
        clause.statement.iter().filter_map(|at| all.get(*at)).any(|token| is_same(name, &token.folded))
    };
    claim.names.iter().filter(|name| cues_of(name).any(Cues::ROLE)).any(|name| !is_said(name))
}

/// Returns whether a doubt about one mention of an item is one about the item.
fn denies_item(doubt: Doubt) -> bool {
    match doubt {
        Doubt::Denied | Doubt::NotTicked | Doubt::Conditional | Doubt::AnotherTime => true,
        Doubt::NoWords
        | Doubt::Uncertain
        | Doubt::AnotherPerson
        | Doubt::Alternative
        | Doubt::NotDenied
        | Doubt::DeniedTwice
        | Doubt::DeniesAnother
        | Doubt::NotAffirmed
        | Doubt::Limit
        | Doubt::RangeEnd
        | Doubt::OtherDigits
        | Doubt::OtherCode
        | Doubt::PartOfWord
        | Doubt::OtherCentury
        | Doubt::NotNearest
        | Doubt::OtherUnit
        | Doubt::LabelElsewhere
        | Doubt::Numbering
        | Doubt::ClaimedByAnother
        | Doubt::OtherRole => false,
    }
}

/// Most places of an item that are read.
const MOST_PLACES: usize = 32;

/// The doubt of an item's name wherever the document has it: of an item that one passage lists, another may say that it
/// was not found.
fn doubt_of_item(document: &Document, claim: &Claim<'_>) -> Option<Doubt> {
    let name = match claim.item? {
        "" => claim.value.clone(),
        item => Value::String(item.to_owned()),
    };
    let named = Claim { key: "", synonyms: &[], item: Some(""), value: &name };
    let (read, tokens) = (ParsedClaim::new(&named), document.tokens());
    places(document, &name).into_iter().take(MOST_PLACES).find_map(|place| {
        let clause = Clause::around(tokens, tokens.over(place.start, place.end))?;
        assertion::doubt(&tokens.all, &clause, &read).filter(|doubt| denies_item(*doubt))
    })
}

/// The distance before a text at which a denial surely reaches it, in tokens.
const DENIES: usize = 4;

/// Returns whether a passage surely denies a text: a denial is right before it.
#[must_use]
pub fn is_denied_at(document: &Document, claim: &Claim<'_>, bytes: &Range<usize>) -> bool {
    let (read, tokens) = (ParsedClaim::new(claim), document.tokens());
    let Some(clause) = Clause::around(tokens, tokens.over(bytes.start, bytes.end)) else { return false };
    // The passage may begin with the denial.
    let before = |at: &&usize| **at < clause.value.end && **at + DENIES >= clause.value.start;
    let denies = |at: &usize| {
        tokens.all.get(*at).is_some_and(|token| token.does(Cues::DENIAL) && !read.owns(&token.folded))
    };
    clause.part.iter().filter(before).any(denies)
}

/// Returns whether a claim's value is one of few, or a number: what says another one in its place speaks against it,
/// while another wording of a text may say the same.
#[must_use]
pub fn is_exact(claim: &Claim<'_>) -> bool {
    let read = ParsedClaim::new(claim);
    let is_side = || !read.words.is_empty() && read.words.iter().all(|word| cues_of(word).any(Cues::SIDE));
    read.is_number
        || read.is_number_text
        || read.is_date
        || read.presence.is_some()
        || read.is_code()
        || is_side()
}

/// A value that speaks against another.
pub(super) struct Opposite(Value);

impl Opposite {
    pub(super) fn claim<'a>(&'a self, claim: &Claim<'a>) -> Claim<'a> {
        Claim { value: &self.0, ..*claim }
    }
}

/// The value that speaks against a claim's: the opposite of a presence, and else what some bytes print.
pub(super) fn opposite(document: &Document, claim: &Claim<'_>, bytes: Range<usize>) -> Opposite {
    let printed = document.text().get(bytes).unwrap_or_default();
    let read = ParsedClaim::new(claim);
    // Of a presence with figures, other figures are the opposite.
    Opposite(match read.presence.filter(|_| !read.has_digits()) {
        Some(Presence::Present) => Value::Bool(false),
        Some(Presence::Absent) => Value::Bool(true),
        None => Value::String(printed.to_owned()),
    })
}

/// The most letters of a word that says little by itself.
const SHORT_WORD: usize = 8;

fn kind(document: &Document, clause: &Clause, claim: &ParsedClaim) -> ValueKind {
    let all = &document.tokens().all;
    // A vocabulary may read a number from words: `grade II`.
    let has_figure = |token: &Token| token.folded.contains(|c: char| c.is_ascii_digit());
    let is_figure = || all.get(clause.value.clone()).unwrap_or_default().iter().any(has_figure);
    if claim.is_number || claim.is_number_text && is_figure() {
        let printed = all.get(clause.value.start).map_or(0, |token| token.start);
        if claim.unit().is_some() && document.quantities().at(printed).is_some() {
            return ValueKind::Quantity;
        }
        let stroke = |at: Option<usize>| at.and_then(|at| all.get(at)).is_some_and(|token| token.is("/"));
        let is_ratio =
            claim.is_number && (stroke(clause.value.start.checked_sub(1)) || stroke(Some(clause.value.end)));
        let is_share = claim.asks_for().is_some() && exactness::share(all, clause).is_some();
        return if is_ratio || is_share { ValueKind::Ratio } else { ValueKind::Number };
    }
    if claim.is_date {
        return ValueKind::Date;
    }
    if let Some(presence) = claim.presence {
        let is_said = presence == Presence::Absent || affirms(document.tokens(), clause);
        return if is_said { ValueKind::Presence } else { ValueKind::Mention };
    }
    let is_side = !claim.words.is_empty() && claim.words.iter().all(|word| cues_of(word).any(Cues::SIDE));
    if claim.is_code() {
        return ValueKind::Code;
    }
    let said = all.get(clause.sentence.clone()).unwrap_or_default();
    let said: HashSet<&str> = said.iter().map(|token| &*token.folded).collect();
    let printed: Vec<&str> = all
        .get(clause.value.clone())
        .unwrap_or_default()
        .iter()
        .filter(|token| token.is_word())
        .map(|token| &*token.folded)
        .collect();
    let letters = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).collect::<String>();
    let value = all.get(clause.value.clone()).unwrap_or_default();
    let bytes = value.first().map_or(0, |token| token.start)..value.last().map_or(0, |token| token.end);
    let is_other = letters(&fold(document.text().get(bytes).unwrap_or_default())) != letters(&claim.text);
    if claim.words.len() > 1 && printed.len() > 1 && is_other && is_reworded(&printed, claim) {
        return ValueKind::Reworded;
    }
    if is_other && !claim.words.iter().all(|word| said.contains(word.as_str())) {
        let printed = all.get(clause.value.clone()).unwrap_or_default();
        let has_letters = printed.iter().any(|token| token.folded.contains(char::is_alphabetic));
        return if has_letters { ValueKind::Choice } else { ValueKind::Scale };
    }
    if is_side {
        return ValueKind::Side;
    }
    let letters: usize = claim.words.iter().map(|word| word.chars().count()).sum();
    let is_word = letters <= 3 || claim.words.len() == 1 && letters <= SHORT_WORD && !claim.has_digits();
    if is_word { ValueKind::Word } else { ValueKind::Text }
}
