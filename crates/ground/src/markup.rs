//! Sources that say their structure themselves: separated values, and markup by elements.

use crate::document::{Builder, TextCell};
use crate::field::key_words;
use crate::steps::step;
use std::collections::HashMap;

/// Columns of structured sources lie this far apart, so that no two cells of different columns meet.
const FAR: u32 = 10_000;
/// The least number of lines that must agree on a separator.
const AGREEING: usize = 3;

/// Reads a text that has structure of its own; false where it is plain text.
pub(crate) fn read(text: &str, builder: &mut Builder) -> bool {
    let start = text.trim_start_matches('\u{feff}').trim_start();
    if start.starts_with('<')
        && start
            .get(1..)
            .is_some_and(|rest| rest.starts_with(|c: char| c.is_alphabetic() || matches!(c, '?' | '!')))
    {
        let lower = start.get(..start.len().min(2000)).unwrap_or(start).to_lowercase();
        elements(text, lower.contains("<html") || lower.contains("<!doctype html"), builder);
        return true;
    }
    if let Some(separator) = separator(text) {
        separated(text, separator, builder);
        return true;
    }
    false
}

/// The separator of which almost all lines have the same number.
fn separator(text: &str) -> Option<char> {
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).take(50).collect();
    if lines.len() < AGREEING {
        return None;
    }
    // The comma last: it is a decimal sign where others set fields apart.
    ['\t', ';', '|', ','].into_iter().find(|separator| {
        let counts: Vec<usize> = lines.iter().map(|line| fields(line, *separator).len()).collect();
        let Some(first) = counts.first().copied() else { return false };
        first >= 3 && counts.iter().filter(|count| **count == first).count() * 10 >= counts.len() * 9
    })
}

/// The fields of a line, as byte ranges without their quotes.
fn fields(line: &str, separator: char) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let (mut from, mut quoted) = (0, false);
    for (at, c) in line.char_indices() {
        if c == '"' {
            quoted = !quoted;
        } else if c == separator && !quoted {
            found.push((from, at));
            from = at + c.len_utf8();
        }
    }
    found.push((from, line.len()));
    found.into_iter().map(|(from, to)| unquoted(line, from, to)).collect()
}

fn unquoted(line: &str, from: usize, to: usize) -> (usize, usize) {
    let own = line.get(from..to).unwrap_or_default();
    let trimmed = own.trim_matches(|c: char| c == '"' || c.is_whitespace());
    let lead = own.len() - own.trim_start_matches(|c: char| c == '"' || c.is_whitespace()).len();
    if trimmed.is_empty() { (from, from) } else { (from + lead, from + lead + trimmed.len()) }
}

fn separated(text: &str, separator: char, builder: &mut Builder) {
    let mut from = 0;
    for line in text.split_inclusive('\n') {
        let row = builder.row();
        let own = line.trim_end_matches(['\n', '\r']);
        for (column, (start, end)) in fields(own, separator).into_iter().enumerate() {
            if start < end {
                add(text, row, column, from + start, from + end, None, builder);
            }
        }
        from += line.len();
    }
}

fn add(
    text: &str,
    row: usize,
    column: usize,
    start: usize,
    end: usize,
    label: Option<&str>,
    builder: &mut Builder,
) {
    let at = u32::try_from(column).unwrap_or(u32::MAX / FAR).saturating_mul(FAR).min(u32::MAX / 2);
    let width = text.get(start..end).map_or(0, |own| own.chars().count());
    let mut cell = TextCell::at(row, at, start);
    cell.to = at + u32::try_from(width).unwrap_or(0);
    cell.end = end;
    cell.label = label.map(Into::into);
    builder.cell(cell);
}

/// One text between tags, or the value of an attribute.
#[derive(Debug)]
struct TextNode {
    /// The path of names that leads to it.
    path: Option<usize>,
    /// The element that holds it.
    element: Option<usize>,
    start: usize,
    end: usize,
}

/// Elements that begin a new row of a page.
const BLOCKS: [&str; 22] = [
    "address",
    "article",
    "blockquote",
    "br",
    "dd",
    "div",
    "dl",
    "dt",
    "fieldset",
    "footer",
    "form",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "header",
    "li",
    "p",
    "section",
    "tr",
];
/// Most elements in one another.
const DEPTH: usize = 200;
/// The number of names of its path that label a leaf.
const NAMES: usize = 3;

/// Reads elements. A page has rows where its blocks begin, and cells in tables; data have a row for each record, which is an
/// element that repeats, and one for each value outside of any.
fn elements(text: &str, is_page: bool, builder: &mut Builder) {
    let mut data = MarkupNodes::default();
    let mut page = TablePosition::default();
    let mut at = 0;
    let mut skip: Option<String> = None;
    while let Some(open) = text.get(at..).and_then(|rest| rest.find('<')).map(|found| at + found) {
        if skip.is_none() {
            let piece = (at, open);
            if is_page { page.text(text, piece, builder) } else { data.text(text, piece) }
        }
        let rest = text.get(open..).unwrap_or_default();
        let close = if rest.starts_with("<!--") {
            rest.find("-->").map(|found| found + 3)
        } else if rest.starts_with("<![CDATA[") {
            let end = rest.find("]]>").unwrap_or(rest.len());
            if !is_page {
                data.text(text, (open + 9, open + end));
            }
            Some((end + 3).min(rest.len()))
        } else {
            rest.find('>').map(|found| found + 1)
        };
        let Some(close) = close else { break };
        let tag = rest.get(1..close.saturating_sub(1)).unwrap_or_default();
        at = open + close;
        let is_end = tag.starts_with('/');
        let name = tag
            .trim_start_matches('/')
            .split(|c: char| c.is_whitespace() || c == '/')
            .next()
            .unwrap_or_default();
        if name.is_empty() || name.starts_with(['!', '?']) {
            continue;
        }
        let name = if is_page { name.to_lowercase() } else { name.to_owned() };
        if let Some(skipped) = &skip {
            if is_end && *skipped == name {
                skip = None;
            }
            continue;
        }
        if is_page && !is_end && matches!(name.as_str(), "script" | "style") {
            skip = Some(name);
        } else if is_page {
            page.tag(&name, is_end, builder);
        } else if is_end {
            data.leave(&name);
        } else {
            data.enter(&name, text, open, tag);
        }
    }
    data.finish(text, builder);
}

#[derive(Debug, Default)]
struct TablePosition {
    row: Option<usize>,
    column: usize,
    in_table: usize,
}

impl TablePosition {
    fn text(&mut self, text: &str, (from, to): (usize, usize), builder: &mut Builder) {
        let own = text.get(from..to).unwrap_or_default();
        let trimmed = own.trim();
        if trimmed.is_empty() {
            return;
        }
        let row = *self.row.get_or_insert_with(|| builder.row());
        let start = from + (own.len() - own.trim_start().len());
        add(text, row, self.column, start, start + trimmed.len(), None, builder);
        if self.in_table == 0 {
            self.column += 1;
        }
    }

    fn tag(&mut self, name: &str, is_end: bool, builder: &mut Builder) {
        match name {
            "table" => {
                self.in_table = if is_end { self.in_table.saturating_sub(1) } else { self.in_table + 1 };
                self.row = None;
                self.column = 0;
            }
            "tr" => {
                self.row = Some(builder.row());
                self.column = 0;
            }
            "td" | "th" if is_end => self.column += 1,
            // A block in a cell does not end the row.
            _ if self.in_table == 0 && BLOCKS.contains(&name) => {
                self.row = None;
                self.column = 0;
            }
            _ => {}
        }
    }
}

/// A name below another path. Elements and leaves share paths, so that deep ones take no more room than others.
#[derive(Debug)]
struct PathStep {
    parent: Option<usize>,
    name: usize,
}

#[derive(Debug)]
struct Element {
    parent: Option<usize>,
    path: usize,
    /// Its number among its siblings of the name.
    nth: usize,
}

#[derive(Debug, Default)]
struct MarkupNodes {
    names: Vec<String>,
    known: HashMap<String, usize>,
    steps: Vec<PathStep>,
    known_steps: HashMap<(Option<usize>, usize), usize>,
    elements: Vec<Element>,
    /// Each open element: its name, how many elements of each name it holds, and its number.
    open: Vec<(usize, HashMap<usize, usize>, usize)>,
    leaves: Vec<TextNode>,
}

impl MarkupNodes {
    fn name(&mut self, name: &str) -> usize {
        let bare = name.rsplit(':').next().unwrap_or(name);
        if let Some(known) = self.known.get(bare) {
            return *known;
        }
        self.names.push(key_words(bare).join(" "));
        self.known.insert(bare.to_owned(), self.names.len() - 1);
        self.names.len() - 1
    }

    /// The path of a name below another one.
    fn path(&mut self, parent: Option<usize>, name: usize) -> usize {
        let steps = &mut self.steps;
        *self.known_steps.entry((parent, name)).or_insert_with(|| {
            steps.push(PathStep { parent, name });
            steps.len() - 1
        })
    }

    /// The innermost open element, and its path.
    fn innermost(&self) -> (Option<usize>, Option<usize>) {
        let element = self.open.last().map(|(_, _, element)| *element);
        (element, element.and_then(|element| self.elements.get(element)).map(|element| element.path))
    }

    fn enter(&mut self, name: &str, text: &str, open: usize, tag: &str) {
        let number = self.name(name);
        let nth = match self.open.last_mut() {
            Some((_, children, _)) => {
                let count = children.entry(number).or_default();
                *count += 1;
                *count - 1
            }
            None => 0,
        };
        if self.open.len() >= DEPTH {
            return;
        }
        let (parent, above) = self.innermost();
        let path = self.path(above, number);
        self.elements.push(Element { parent, path, nth });
        self.open.push((number, HashMap::new(), self.elements.len() - 1));
        let mut from = 0;
        while let Some(equal) = tag.get(from..).and_then(|rest| rest.find("=\"")).map(|found| from + found) {
            let attribute = tag
                .get(from..equal)
                .and_then(|before| before.rsplit(char::is_whitespace).next())
                .unwrap_or_default();
            let Some(end) =
                tag.get(equal + 2..).and_then(|rest| rest.find('"')).map(|found| equal + 2 + found)
            else {
                break;
            };
            step(attribute.len() + end - from);
            if !attribute.starts_with("xmlns") && !attribute.contains(':') {
                let number = self.name(attribute);
                self.leaf(text, (open + 1 + equal + 2, open + 1 + end), Some(number));
            }
            from = end + 1;
        }
        if tag.ends_with('/') {
            self.open.pop();
        }
    }

    fn leave(&mut self, name: &str) {
        let number = self.name(name);
        if let Some(depth) = self.open.iter().rposition(|(open, _, _)| *open == number) {
            self.open.truncate(depth);
        }
    }

    fn text(&mut self, text: &str, piece: (usize, usize)) {
        self.leaf(text, piece, None);
    }

    fn leaf(&mut self, text: &str, (from, to): (usize, usize), attribute: Option<usize>) {
        let own = text.get(from..to).unwrap_or_default();
        let trimmed = own.trim();
        if trimmed.is_empty() {
            return;
        }
        let start = from + (own.len() - own.trim_start().len());
        let (element, above) = self.innermost();
        let path = match attribute {
            Some(name) => Some(self.path(above, name)),
            None => above,
        };
        self.leaves.push(TextNode { path, element, start, end: start + trimmed.len() });
    }

    /// The outermost element around each that repeats: the record.
    fn records(&self) -> Vec<Option<usize>> {
        let mut repeats = vec![false; self.steps.len()];
        let mut seen = vec![false; self.elements.len()];
        for leaf in &self.leaves {
            let mut at = leaf.element;
            while let Some(number) = at
                && let (Some(element), Some(seen)) = (self.elements.get(number), seen.get_mut(number))
                && !*seen
            {
                step(1);
                *seen = true;
                if let Some(repeats) = repeats.get_mut(element.path).filter(|_| element.nth > 0) {
                    *repeats = true;
                }
                at = element.parent;
            }
        }
        let mut records: Vec<Option<usize>> = Vec::with_capacity(self.elements.len());
        for (number, element) in self.elements.iter().enumerate() {
            let outer = element.parent.and_then(|parent| records.get(parent).copied().flatten());
            let own = repeats.get(element.path).is_some_and(|repeats| *repeats).then_some(number);
            records.push(outer.or(own));
        }
        records
    }

    /// The last names of a path.
    fn last_names(&self, path: Option<usize>) -> String {
        let above = |path: &usize| self.steps.get(*path).and_then(|step| step.parent);
        let path = std::iter::successors(path, above).take(NAMES);
        let names = path.filter_map(|at| self.names.get(self.steps.get(at)?.name)).map(String::as_str);
        let mut names: Vec<&str> = names.collect();
        names.reverse();
        names.join(" ")
    }

    /// Gives rows to records, and columns to paths within them.
    fn finish(self, text: &str, builder: &mut Builder) {
        let records = self.records();
        let mut columns: HashMap<Option<usize>, usize> = HashMap::new();
        let mut last: Option<(usize, usize)> = None;
        for leaf in &self.leaves {
            let record = leaf.element.and_then(|element| records.get(element).copied().flatten());
            let row = match (record, last) {
                (Some(record), Some((known, row))) if known == record => row,
                (Some(_) | None, Some(_) | None) => builder.row(),
            };
            last = record.map(|record| (record, row));
            let next = columns.len();
            let column = *columns.entry(leaf.path).or_insert(next);
            add(text, row, column, leaf.start, leaf.end, Some(&self.last_names(leaf.path)), builder);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::separator;

    #[test]
    fn decimal_commas_do_not_set_fields_apart() {
        assert_eq!(separator("a;1,5;2,5\nb;1,7;2,7\nc;1,0;3,5\n"), Some(';'));
        assert_eq!(separator("a,1.5,2\nb,1.7,3\nc,1.0,4\n"), Some(','));
        assert_eq!(separator("a\t1,5\t2,5\nb\t1,7\t2,7\nc\t1,0\t3,5\n"), Some('\t'));
        assert_eq!(separator("one line, with, commas\nand another\nand a third; so\n"), None);
    }
}
