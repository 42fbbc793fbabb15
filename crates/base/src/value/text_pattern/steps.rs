//! A pattern written out as all rows of characters that it may be found as.

use regex_syntax::hir::{Class, ClassUnicode, ClassUnicodeRange, Hir, HirKind, Look};
use std::rc::Rc;
use std::sync::OnceLock;

/// Most rows that a pattern may be written out in, and most parts of one.
const MOST_ROWS: usize = 32;
const MOST_PARTS: usize = 64;

/// A character of a set.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Step {
    pub(super) set: Rc<ClassUnicode>,
    /// `true` if more of the set may follow.
    pub(super) again: bool,
}

/// A form in which a pattern may be found.
#[derive(Debug)]
pub(super) enum Row {
    /// Nothing, which every text holds.
    Nothing,
    /// A whole text that is empty.
    Empty,
    Steps(Steps),
}

/// One character after the other.
#[derive(Debug)]
pub(super) struct Steps {
    pub(super) steps: Vec<Step>,
    /// The step that may be the first character of a text. The one before is for a character that must be there
    /// otherwise.
    pub(super) at_start: Option<usize>,
    /// `true` if the first step may be any character of a text.
    pub(super) anywhere: bool,
    /// The step that may be the last character of a text. The one after is for a character that must be there
    /// otherwise.
    pub(super) at_end: Option<usize>,
    /// `true` if the last step may be any character of a text.
    pub(super) before_more: bool,
}

/// All rows of a pattern, none of which is more than characters, ends of the text and bounds of words.
pub(super) fn rows(pattern: &Hir) -> Option<Vec<Row>> {
    let mut rows = vec![Vec::new()];
    append(pattern, &mut rows)?;
    let rows: Option<Vec<Option<Row>>> = rows.iter().map(|parts| row(parts)).collect();
    Some(rows?.into_iter().flatten().collect())
}

#[derive(Debug, Clone)]
enum Part {
    Step(Step),
    Start,
    End,
    /// The bound of a word.
    Bound,
}

/// Appends the meaning of a pattern to each row.
fn append(pattern: &Hir, rows: &mut Vec<Vec<Part>>) -> Option<()> {
    match pattern.kind() {
        HirKind::Empty => Some(()),
        HirKind::Look(Look::Start) => each(rows, &Part::Start),
        HirKind::Look(Look::End) => each(rows, &Part::End),
        HirKind::Look(Look::WordUnicode) => each(rows, &Part::Bound),
        HirKind::Literal(literal) => {
            let mut letters = std::str::from_utf8(&literal.0).ok()?.chars();
            letters.try_for_each(|c| each(rows, &Part::Step(Step { set: only(c), again: false })))
        }
        HirKind::Class(Class::Unicode(set)) => {
            each(rows, &Part::Step(Step { set: Rc::new(set.clone()), again: false }))
        }
        HirKind::Capture(capture) => append(&capture.sub, rows),
        HirKind::Concat(parts) => parts.iter().try_for_each(|part| append(part, rows)),
        HirKind::Alternation(parts) => {
            let before = std::mem::take(rows);
            parts.iter().try_for_each(|part| {
                let mut those = before.clone();
                append(part, &mut those)?;
                add(rows, those)
            })
        }
        HirKind::Repetition(repetition) => {
            let (sub, min) = (&repetition.sub, repetition.min);
            // Each of them adds a part, and there is a most of those.
            for _ in 0..min {
                append(sub, rows)?;
            }
            let mut so_far = rows.clone();
            match repetition.max {
                Some(max) => {
                    for _ in min..max {
                        append(sub, &mut so_far)?;
                        add(rows, so_far.clone())?;
                    }
                    Some(())
                }
                None if min == 0 => {
                    each(&mut so_far, &Part::Step(Step { set: one_of(sub)?, again: true }))?;
                    add(rows, so_far)
                }
                None => {
                    one_of(sub)?;
                    for row in rows {
                        if let Some(Part::Step(step)) = row.last_mut() {
                            step.again = true;
                        }
                    }
                    Some(())
                }
            }
        }
        HirKind::Class(Class::Bytes(_)) | HirKind::Look(_) => None,
    }
}

fn add(rows: &mut Vec<Vec<Part>>, more: Vec<Vec<Part>>) -> Option<()> {
    rows.extend(more);
    (rows.len() <= MOST_ROWS).then_some(())
}

fn each(rows: &mut [Vec<Part>], part: &Part) -> Option<()> {
    rows.iter_mut().try_for_each(|row| {
        row.push(part.clone());
        (row.len() <= MOST_PARTS).then_some(())
    })
}

fn only(c: char) -> Rc<ClassUnicode> {
    Rc::new(ClassUnicode::new([ClassUnicodeRange::new(c, c)]))
}

/// The set that a pattern takes one character of.
fn one_of(pattern: &Hir) -> Option<Rc<ClassUnicode>> {
    match pattern.kind() {
        HirKind::Class(Class::Unicode(set)) => Some(Rc::new(set.clone())),
        HirKind::Literal(literal) => {
            let mut chars = std::str::from_utf8(&literal.0).ok()?.chars();
            chars.next().filter(|_| chars.next().is_none()).map(only)
        }
        HirKind::Capture(capture) => one_of(&capture.sub),
        _ => None,
    }
}

/// The meaning of the parts, some of which constrain each other: within the outer `Option` if that is plain, within the
/// inner if it is possible at all.
fn row(parts: &[Part]) -> Option<Option<Row>> {
    let is_step = |part: &Part| matches!(part, Part::Step(_));
    let Some(first) = parts.iter().position(is_step) else {
        let has = |wanted: fn(&Part) -> bool| parts.iter().any(wanted);
        return match (has(|p| matches!(p, Part::Start)), has(|p| matches!(p, Part::End))) {
            _ if has(|p| matches!(p, Part::Bound)) => None,
            (true, true) => Some(Some(Row::Empty)),
            _ => Some(Some(Row::Nothing)),
        };
    };
    let last = parts.iter().rposition(is_step)?;
    let (before, after) = (parts.get(..first)?, parts.get(last + 1..)?);
    // Where a text ends nothing follows; this is left to the library.
    let is_end = |part: &Part| matches!(part, Part::End);
    let is_start = |part: &Part| matches!(part, Part::Start);
    if before.iter().any(is_end) || after.iter().any(is_start) {
        return None;
    }
    let mut steps: Vec<Step> = Vec::with_capacity(parts.len());
    let mut is_bound = false;
    for part in parts.get(first..=last)? {
        match part {
            Part::Bound => is_bound = true,
            Part::Start | Part::End => return None,
            Part::Step(step) => {
                if let Some(before) = steps.last().filter(|_| is_bound)
                    && is_word(&before.set)? == is_word(&step.set)?
                {
                    return Some(None);
                }
                is_bound = false;
                steps.push(step.clone());
            }
        }
    }
    let starts = edge(before, parts.get(first)?)?;
    let ends = edge(after, parts.get(last)?)?;
    let (Some(starts), Some(ends)) = (starts, ends) else { return Some(None) };
    if !ends.of_text && ends.beyond.is_none() {
        // However many more follow, it is found with the first of them.
        if let Some(last) = steps.last_mut() {
            last.again = false;
        }
    }
    let mut row = Steps {
        at_start: starts.of_text.then_some(0),
        anywhere: !starts.of_text,
        at_end: ends.of_text.then_some(steps.len() - 1),
        before_more: !ends.of_text,
        steps,
    };
    if let Some(beyond) = ends.beyond {
        row.at_end = beyond.or_nothing.then_some(row.steps.len() - 1);
        row.steps.push(Step { set: Rc::new(beyond.set), again: false });
    }
    if let Some(beyond) = starts.beyond {
        row.at_start = beyond.or_nothing.then_some(1);
        row.at_end = row.at_end.map(|at| at + 1);
        row.steps.insert(0, Step { set: Rc::new(beyond.set), again: false });
    }
    Some(Some(Row::Steps(row)))
}

/// The beginning or the end of a row.
struct Edge {
    /// The start or the end of the text.
    of_text: bool,
    /// The condition on the character beyond it.
    beyond: Option<Beyond>,
}

struct Beyond {
    set: ClassUnicode,
    /// `true` if there may be none.
    or_nothing: bool,
}

/// The meaning of the parts before the first step of a row, or of those after its last: within the outer `Option` if
/// that is plain, within the inner if it is possible at all.
fn edge(parts: &[Part], step: &Part) -> Option<Option<Edge>> {
    let of_text = parts.iter().any(|part| matches!(part, Part::Start | Part::End));
    let Part::Step(step) = step else { return None };
    if !parts.iter().any(|part| matches!(part, Part::Bound)) {
        return Some(Some(Edge { of_text, beyond: None }));
    }
    Some(match (of_text, is_word(&step.set)?) {
        (true, true) => Some(Edge { of_text, beyond: None }),
        (true, false) => None,
        (false, is_word) => {
            let mut set = words().clone();
            if is_word {
                set.negate();
            }
            Some(Edge { of_text, beyond: Some(Beyond { set, or_nothing: is_word }) })
        }
    })
}

/// Returns whether all of a set may be in a word. `None` if only some may.
fn is_word(set: &ClassUnicode) -> Option<bool> {
    let mut within = set.clone();
    within.intersect(words());
    if within.ranges().is_empty() {
        return Some(false);
    }
    (within == *set).then_some(true)
}

/// The characters that may be in a word.
fn words() -> &'static ClassUnicode {
    static WORDS: OnceLock<ClassUnicode> = OnceLock::new();
    WORDS.get_or_init(|| match regex_syntax::parse(r"\w").map(Hir::into_kind) {
        Ok(HirKind::Class(Class::Unicode(set))) => set,
        // It is not a mistake in a program that was built with the tables of letters.
        _ => ClassUnicode::empty(),
    })
}
