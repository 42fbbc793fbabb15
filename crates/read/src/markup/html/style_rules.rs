//! Rules of style sheets within a page: which elements their selectors select, as far as names, classes and ids tell.

use super::declarations::{SeenDeclaration, declarations};
use super::tree::{NodeId, PageTree};
use std::cell::Cell;
use std::collections::HashMap;
use std::rc::Rc;

/// The most steps in which elements are compared with selectors.
const MOST_STEPS: usize = 10_000_000;
/// The most simple selectors of a compound, and compounds of a selector.
const MOST_PARTS: usize = 20;

/// The rules of a page's style sheets that tell what is seen.
#[derive(Debug, Default)]
pub(super) struct StyleRules {
    rules: Vec<StyleRule>,
    /// The rules by the last name, class or id that they ask for.
    by_key: HashMap<String, Vec<usize>>,
    /// `true` if what is behind text is not known: a style sheet that is not read, a selector that is not understood.
    pub(super) has_unknown_colours: bool,
    steps: Cell<usize>,
}

#[derive(Debug)]
struct StyleRule {
    /// The compounds, the last first, and whether each asks for the parent of the one before.
    compounds: Vec<(CompoundSelector, bool)>,
    specificity: (usize, usize, usize),
    /// Shared by the selectors of a block.
    declared: Rc<[(SeenDeclaration, bool)]>,
}

/// The conditions on an element.
#[derive(Debug, Default)]
struct CompoundSelector {
    /// A name, or with `.` and `#` a class or id.
    parts: Vec<String>,
}

impl StyleRules {
    /// Adds the rules of a style sheet.
    pub(super) fn add(&mut self, sheet: &str) {
        let sheet = without_comments(sheet);
        self.add_rules(&sheet, 0);
    }

    fn add_rules(&mut self, sheet: &str, depth: usize) {
        let mut rest = sheet;
        while let Some(open) = rest.find(['{', ';']) {
            let (head, tail) = rest.split_at(open);
            let head = head.trim();
            if tail.starts_with(';') {
                self.has_unknown_colours |= head.starts_with("@import");
                rest = tail.get(1..).unwrap_or_default();
                continue;
            }
            let body = tail.get(1..).unwrap_or_default();
            let end = end_of_block(body);
            let block = body.get(..end).unwrap_or_default();
            if let Some(media) = head.strip_prefix("@media") {
                let media = media.trim().to_ascii_lowercase();
                if depth < 3 && (media == "screen" || media == "all") {
                    self.add_rules(block, depth + 1);
                } else {
                    self.has_unknown_colours |= block.contains("background");
                }
            } else if !head.starts_with('@') {
                self.add_rule(head, block);
            }
            rest = body.get(end + 1..).unwrap_or_default();
        }
    }

    fn add_rule(&mut self, selectors: &str, block: &str) {
        let declared: Rc<[(SeenDeclaration, bool)]> = declarations(block).into();
        if declared.is_empty() {
            return;
        }
        for selector in selectors.split(',') {
            let Some(compounds) = compounds(selector) else {
                let is_dark = |(one, _): &(SeenDeclaration, bool)| match one {
                    SeenDeclaration::Background(colour) => colour.is_none_or(|colour| !colour.is_light()),
                    _ => false,
                };
                self.has_unknown_colours |= declared.iter().any(is_dark);
                continue;
            };
            let count = |sign: &str| {
                let parts = compounds.iter().flat_map(|(compound, _)| &compound.parts);
                parts.filter(|part| part.starts_with(sign)).count()
            };
            let all = compounds.iter().map(|(compound, _)| compound.parts.len()).sum::<usize>();
            let (ids, classes) = (count("#"), count("."));
            let specificity = (ids, classes, all - ids - classes);
            let last = compounds.first().and_then(|(last, _)| last.parts.last()).cloned();
            let key = last.unwrap_or_default();
            self.by_key.entry(key).or_default().push(self.rules.len());
            self.rules.push(StyleRule { compounds, specificity, declared: Rc::clone(&declared) });
        }
    }

    /// The declarations for an element, with those of its own, the weakest first; `None` if that takes too long to find
    /// out.
    pub(super) fn declared(
        &self,
        tree: &PageTree,
        element: NodeId,
        ancestors: &[NodeId],
    ) -> Option<Vec<SeenDeclaration>> {
        let mut matched = Vec::new();
        for number in self.candidates(tree, element) {
            let Some(rule) = self.rules.get(number) else { continue };
            if self.is_selected(rule, tree, element, ancestors)? {
                self.steps.set(self.steps.get() + rule.declared.len());
                let strength = (rule.specificity, number);
                let declared = rule.declared.iter();
                matched.extend(declared.map(|(one, important)| (*important, false, strength, *one)));
            }
        }
        let own = tree.attribute(element, "style").map(declarations).unwrap_or_default();
        matched.extend(own.into_iter().map(|(one, important)| (important, true, ((0, 0, 0), 0), one)));
        matched.sort_by_key(|(important, own, strength, _)| (*important, *own, *strength));
        Some(matched.into_iter().map(|(.., one)| one).collect())
    }

    /// The rules whose last compound may select an element, in order.
    fn candidates(&self, tree: &PageTree, element: NodeId) -> Vec<usize> {
        if self.rules.is_empty() {
            return Vec::new();
        }
        let id = tree.attribute(element, "id").map(|id| format!("#{id}"));
        let name = tree.name(element).map(str::to_owned);
        let classes = tree.attribute(element, "class").unwrap_or_default().split_ascii_whitespace();
        let classes = classes.take(MOST_PARTS).map(|class| format!(".{class}"));
        let keys = id.into_iter().chain(name).chain(classes).chain([String::new()]);
        let mut numbers: Vec<usize> =
            keys.filter_map(|key| self.by_key.get(&key)).flatten().copied().collect();
        numbers.sort_unstable();
        numbers.dedup();
        numbers
    }

    fn is_selected(
        &self,
        rule: &StyleRule,
        tree: &PageTree,
        element: NodeId,
        ancestors: &[NodeId],
    ) -> Option<bool> {
        let mut compounds = rule.compounds.iter();
        let Some((last, _)) = compounds.next() else { return Some(false) };
        if !self.has(last, tree, element)? {
            return Some(false);
        }
        // The nearest ancestor that fits is taken: enough for rules that hide things.
        let mut above = ancestors.iter().rev();
        for (compound, is_child) in compounds {
            loop {
                let Some(ancestor) = above.next() else { return Some(false) };
                if self.has(compound, tree, *ancestor)? {
                    break;
                }
                if *is_child {
                    return Some(false);
                }
            }
        }
        Some(true)
    }

    fn has(&self, compound: &CompoundSelector, tree: &PageTree, element: NodeId) -> Option<bool> {
        self.steps.set(self.steps.get() + 1);
        if self.steps.get() > MOST_STEPS {
            return None;
        }
        Some(compound.parts.iter().all(|part| match part.split_at_checked(1) {
            Some((".", class)) => {
                let classes = tree.attribute(element, "class").unwrap_or_default();
                classes.split_ascii_whitespace().take(MOST_PARTS).any(|own| own == class)
            }
            Some(("#", id)) => tree.attribute(element, "id") == Some(id),
            _ => tree.name(element).is_some_and(|name| name.eq_ignore_ascii_case(part)),
        }))
    }
}

/// The compounds of a selector, the last first; `None` if it asks for more than names, classes and ids.
fn compounds(selector: &str) -> Option<Vec<(CompoundSelector, bool)>> {
    let selector = selector.replace('>', " > ");
    let mut found: Vec<(CompoundSelector, bool)> = Vec::new();
    let mut is_child = false;
    let words: Vec<&str> = selector.split_ascii_whitespace().collect();
    for word in words.into_iter().rev() {
        if word == ">" {
            is_child = true;
            continue;
        }
        found.push((compound(word)?, is_child));
        is_child = false;
    }
    (!found.is_empty() && found.len() <= MOST_PARTS).then_some(found)
}

fn compound(word: &str) -> Option<CompoundSelector> {
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '#' | '*');
    if !word.chars().all(is_name) {
        return None;
    }
    let mut parts: Vec<String> = Vec::new();
    for (at, c) in word.char_indices() {
        if at == 0 || matches!(c, '.' | '#') {
            parts.push(String::new());
        }
        if let Some(part) = parts.last_mut() {
            part.push(c);
        }
    }
    parts.retain(|part| part != "*");
    for part in parts.iter_mut().filter(|part| !part.starts_with(['.', '#'])) {
        *part = part.to_ascii_lowercase();
    }
    (parts.len() <= MOST_PARTS && parts.iter().all(|part| !matches!(part.as_str(), "." | "#")))
        .then_some(CompoundSelector { parts })
}

/// The end of a block, whose own blocks are skipped.
fn end_of_block(text: &str) -> usize {
    let mut depth = 0_usize;
    for (at, c) in text.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => return at,
            '}' => depth -= 1,
            _ => {}
        }
    }
    text.len()
}

fn without_comments(sheet: &str) -> String {
    let mut kept = String::with_capacity(sheet.len());
    let mut rest = sheet;
    while let Some((before, after)) = rest.split_once("/*") {
        kept.push_str(before);
        rest = after.split_once("*/").map_or("", |(_, rest)| rest);
    }
    kept.push_str(rest);
    kept.replace("<!--", "").replace("-->", "")
}
