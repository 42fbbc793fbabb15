//! The blocks of a page: what is seen of it, as flowing content.

use super::super::flow::{FlowBlock, FlowCell, FlowItem, FlowRow, one_line};
use super::block_taker::BlockTaker;
use super::declarations::BoxKind;
use super::nesting::DEEPEST;
use super::seen::{ElementLook, ScriptPosition, TextLook, look};
use super::style_rules::StyleRules;
use super::tree::{NodeContent, NodeId, PageTree, ROOT};
use crate::script_digits::{lowered, raised};

/// Elements of which nothing is shown as text of the page, and such that are struck out.
const UNSEEN: [&str; 27] = [
    "area", "audio", "canvas", "colgroup", "datalist", "defs", "del", "desc", "embed", "frameset", "head",
    "iframe", "link", "map", "meta", "metadata", "noembed", "noframes", "noscript", "object", "rp", "s",
    "script", "strike", "style", "template", "video",
];
/// Elements on lines of their own.
const BLOCKS: [&str; 32] = [
    "address",
    "article",
    "aside",
    "blockquote",
    "body",
    "caption",
    "center",
    "dd",
    "details",
    "dialog",
    "dir",
    "div",
    "fieldset",
    "figcaption",
    "figure",
    "footer",
    "form",
    "header",
    "hgroup",
    "html",
    "legend",
    "listing",
    "main",
    "nav",
    "optgroup",
    "plaintext",
    "pre",
    "search",
    "section",
    "summary",
    "text",
    "xmp",
];

/// Reads the blocks of a page.
struct PageBlocks<'t> {
    tree: &'t PageTree,
    rules: StyleRules,
    /// The elements around the one that is read.
    ancestors: Vec<NodeId>,
    /// A part of the page could not be read within its bounds.
    is_beyond: bool,
}

/// The blocks of a page; `None` if it is nested or styled beyond its bounds.
pub(super) fn read(tree: &PageTree) -> Option<Vec<FlowBlock>> {
    let mut rules = StyleRules::default();
    style_sheets(tree, ROOT, 0, &mut rules);
    let mut page = PageBlocks { tree, rules, ancestors: Vec::new(), is_beyond: false };
    let mut into = BlockTaker::default();
    page.children(ROOT, TextLook::plain(), &mut into);
    let blocks = into.finish();
    (!page.is_beyond).then_some(blocks)
}

/// Adds the style sheets below a node.
fn style_sheets(tree: &PageTree, node: NodeId, depth: usize, rules: &mut StyleRules) {
    match tree.name(node) {
        Some("style") => {
            for child in tree.children(node) {
                if let Some(NodeContent::Text(sheet)) = tree.node(child).map(|node| &node.content) {
                    rules.add(sheet);
                }
            }
            return;
        }
        Some("link") => {
            let relation = tree.attribute(node, "rel").unwrap_or_default().to_ascii_lowercase();
            rules.has_unknown_colours |= relation.contains("stylesheet");
        }
        Some(_) | None => {}
    }
    if depth <= 2 * DEEPEST {
        for child in tree.children(node) {
            style_sheets(tree, child, depth + 1, rules);
        }
    }
}

impl PageBlocks<'_> {
    fn children(&mut self, node: NodeId, look: TextLook, into: &mut BlockTaker) {
        let tree = self.tree;
        for child in tree.children(node) {
            self.node(child, look, into);
        }
    }

    fn node(&mut self, node: NodeId, outer: TextLook, into: &mut BlockTaker) {
        let tree = self.tree;
        match tree.node(node).map(|node| &node.content) {
            Some(NodeContent::Text(text)) if outer.is_seen(&self.rules) => match outer.script {
                ScriptPosition::Line => into.text(text, outer.is_kept),
                ScriptPosition::Raised => {
                    into.text(&text.chars().map(raised).collect::<String>(), outer.is_kept)
                }
                ScriptPosition::Lowered => {
                    into.text(&text.chars().map(lowered).collect::<String>(), outer.is_kept);
                }
            },
            Some(NodeContent::Element { name, .. }) if !UNSEEN.contains(&&*name.local) => {
                if self.ancestors.len() > 2 * DEEPEST {
                    self.is_beyond = true;
                    return;
                }
                let own = match look(tree, node, &self.ancestors, outer, &self.rules) {
                    ElementLook::Seen(own) => own,
                    ElementLook::Gone => return,
                    ElementLook::Unknown => {
                        self.is_beyond = true;
                        return;
                    }
                };
                self.ancestors.push(node);
                self.element(node, &name.local, own, into);
                self.ancestors.pop();
            }
            Some(NodeContent::Text(_) | NodeContent::Element { .. } | NodeContent::Unseen) | None => {}
        }
    }

    fn element(&mut self, node: NodeId, name: &str, look: TextLook, into: &mut BlockTaker) {
        match name {
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => {
                let level = name.bytes().last().unwrap_or(b'1') - b'0';
                let text = self.inline(node, look);
                if !text.is_empty() {
                    into.push(FlowBlock::Heading { level, text });
                }
            }
            "p" => {
                into.end_block(false);
                self.children(node, look, into);
                into.end_block(true);
            }
            "br" => into.line_break(),
            "hr" => into.end_block(true),
            "ul" | "ol" | "menu" => self.list(node, name, look, into),
            "li" => self.block(node, look, into),
            "dl" => {
                self.block(node, look, into);
                into.end_term();
            }
            "dt" => {
                into.end_block(false);
                into.end_term();
                into.term = Some(self.inline(node, look)).filter(|term| !term.is_empty());
            }
            "dd" => self.definition(node, look, into),
            "table" => {
                let caption = self.named_child(node, "caption");
                if let Some(caption) = caption {
                    self.node(caption, look, into);
                }
                let rows = self.rows(node, look);
                into.push(FlowBlock::Table(rows));
            }
            "label" => {
                into.begin_label();
                self.children(node, look, into);
                into.end_label();
            }
            "input" => self.input(node, look, into),
            "select" => {
                let chosen = self.chosen(node);
                if look.is_seen(&self.rules) {
                    into.value(&chosen.join(", "));
                }
            }
            "textarea" => {
                let text = self.inline(node, look);
                into.value(&text);
            }
            "button" => {
                into.gap();
                self.children(node, look, into);
                into.gap();
            }
            "rt" => {
                let text = self.inline(node, look);
                into.text(&format!("({text})"), false);
            }
            "q" => {
                into.text("“", false);
                self.children(node, look, into);
                into.text("”", false);
            }
            "title" => {}
            _ => match look.laid.unwrap_or(if BLOCKS.contains(&name) {
                BoxKind::Block
            } else {
                BoxKind::Inline
            }) {
                BoxKind::Inline => self.children(node, look, into),
                BoxKind::Block => self.block(node, look, into),
                BoxKind::Apart => {
                    into.gap();
                    self.children(node, look, into);
                    into.gap();
                }
                BoxKind::Row => {
                    into.end_block(false);
                    let tree = self.tree;
                    for child in tree.children(node) {
                        into.gap();
                        self.node(child, look, into);
                    }
                    into.end_block(false);
                }
            },
        }
    }

    fn block(&mut self, node: NodeId, look: TextLook, into: &mut BlockTaker) {
        into.end_block(false);
        self.children(node, look, into);
        into.end_block(false);
    }

    /// The blocks in an element.
    fn blocks(&mut self, node: NodeId, look: TextLook) -> Vec<FlowBlock> {
        let mut taker = BlockTaker::default();
        self.children(node, look, &mut taker);
        taker.finish()
    }

    /// The text of an element, as one line.
    fn inline(&mut self, node: NodeId, look: TextLook) -> String {
        let blocks = self.blocks(node, look);
        one_line(&super::super::markup_text::lines(&blocks).join(" "))
    }

    fn list(&mut self, node: NodeId, name: &str, look: TextLook, into: &mut BlockTaker) {
        let tree = self.tree;
        let mut number: i64 =
            tree.attribute(node, "start").and_then(|start| start.trim().parse().ok()).unwrap_or(1);
        let mut items: Vec<FlowItem> = Vec::new();
        for child in tree.children(node) {
            let mut taker = BlockTaker::default();
            if tree.name(child) != Some("li") {
                self.node(child, look, &mut taker);
                let blocks = taker.finish();
                match items.last_mut() {
                    Some(item) => item.blocks.extend(blocks),
                    None if blocks.is_empty() => {}
                    None => items.push(FlowItem { marker: String::new(), blocks }),
                }
                continue;
            }
            self.node(child, look, &mut taker);
            let blocks = taker.finish();
            if let Some(own) = tree.attribute(child, "value").and_then(|value| value.trim().parse().ok()) {
                number = own;
            }
            let marker = if name == "ol" { format!("{number}. ") } else { "• ".to_owned() };
            number = number.saturating_add(1);
            if !blocks.is_empty() {
                items.push(FlowItem { marker, blocks });
            }
        }
        into.push(FlowBlock::List(items));
    }

    fn definition(&mut self, node: NodeId, look: TextLook, into: &mut BlockTaker) {
        into.end_block(false);
        let term = into.term.take();
        let mut blocks = self.blocks(node, look).into_iter();
        let Some(term) = term else {
            blocks.for_each(|block| into.push(block));
            return;
        };
        let colon = if term.ends_with([':', '?', '：']) { "" } else { ":" };
        match blocks.next() {
            Some(FlowBlock::Paragraph { text, .. }) => {
                into.push(FlowBlock::line(format!("{term}{colon} {text}")));
            }
            Some(first) => {
                into.push(FlowBlock::line(format!("{term}{colon}")));
                into.push(first);
            }
            None => into.push(FlowBlock::line(term)),
        }
        blocks.for_each(|block| into.push(block));
    }

    fn named_child(&self, node: NodeId, name: &str) -> Option<NodeId> {
        self.tree.children(node).find(|child| self.tree.name(*child) == Some(name))
    }

    /// The rows of a table, those of its foot last.
    fn rows(&mut self, table: NodeId, look: TextLook) -> Vec<FlowRow> {
        let tree = self.tree;
        let (mut rows, mut foot) = (Vec::new(), Vec::new());
        for part in tree.children(table) {
            let Some(own) = self.seen(part, look) else { continue };
            self.ancestors.push(part);
            match tree.name(part) {
                Some("tr") => rows.push(self.cells(part, own)),
                Some(name @ ("thead" | "tbody" | "tfoot")) => {
                    for row in tree.children(part) {
                        let Some(look) = self.seen(row, own) else { continue };
                        self.ancestors.push(row);
                        let cells = self.cells(row, look);
                        self.ancestors.pop();
                        if name == "tfoot" { foot.push(cells) } else { rows.push(cells) }
                    }
                }
                Some(_) | None => {}
            }
            self.ancestors.pop();
        }
        rows.extend(foot);
        rows
    }

    /// The look of a part of a table; `None` if it is not seen.
    fn seen(&mut self, node: NodeId, outer: TextLook) -> Option<TextLook> {
        self.tree.name(node)?;
        match look(self.tree, node, &self.ancestors, outer, &self.rules) {
            ElementLook::Seen(own) => Some(own),
            ElementLook::Gone => None,
            ElementLook::Unknown => {
                self.is_beyond = true;
                None
            }
        }
    }

    fn cells(&mut self, row: NodeId, look: TextLook) -> FlowRow {
        let tree = self.tree;
        let mut cells = Vec::new();
        for cell in tree.children(row) {
            if !matches!(tree.name(cell), Some("td" | "th")) {
                continue;
            }
            let Some(own) = self.seen(cell, look) else { continue };
            self.ancestors.push(cell);
            let blocks = self.blocks(cell, own);
            self.ancestors.pop();
            let span = |name: &str| {
                let span = tree.attribute(cell, name).and_then(|span| span.trim().parse::<usize>().ok());
                span.unwrap_or(1).clamp(1, 1_000)
            };
            cells.push(FlowCell { blocks, columns: span("colspan"), rows: span("rowspan") });
        }
        cells
    }

    fn input(&self, node: NodeId, look: TextLook, into: &mut BlockTaker) {
        if !look.is_seen(&self.rules) {
            return;
        }
        let value = self.tree.attribute(node, "value").unwrap_or_default();
        let kind = self.tree.attribute(node, "type").unwrap_or_default().to_ascii_lowercase();
        match kind.as_str() {
            "hidden" | "password" | "file" | "image" | "color" | "range" => {}
            "checkbox" | "radio" => {
                let is_checked = self.tree.attribute(node, "checked").is_some();
                into.text(if is_checked { " [x] " } else { " [ ] " }, false);
            }
            "submit" | "button" | "reset" => {
                into.gap();
                into.text(value, false);
                into.gap();
            }
            _ => into.value(value),
        }
    }

    /// The texts of the options of a list that are chosen; the first where none is.
    fn chosen(&mut self, select: NodeId) -> Vec<String> {
        let tree = self.tree;
        let mut options = Vec::new();
        for child in tree.children(select) {
            match tree.name(child) {
                Some("option") => options.push(child),
                Some("optgroup") => {
                    options.extend(tree.children(child).filter(|own| tree.name(*own) == Some("option")));
                }
                Some(_) | None => {}
            }
        }
        let is_chosen = |option: &NodeId| tree.attribute(*option, "selected").is_some();
        let mut chosen: Vec<NodeId> = options.iter().copied().filter(is_chosen).collect();
        if chosen.is_empty() && tree.attribute(select, "multiple").is_none() {
            chosen.extend(options.first());
        }
        chosen.into_iter().map(|option| self.inline(option, TextLook::plain())).collect()
    }
}
