//! The tree of a page, as html5ever builds it.

use html5ever::interface::{Attribute, ElemName, ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::tendril::StrTendril;
use html5ever::{LocalName, Namespace, QualName, ns};
use std::borrow::Cow;
use std::cell::{Cell, RefCell};

/// The number of a node.
pub(super) type NodeId = usize;

/// The node that holds all others.
pub(super) const ROOT: NodeId = 0;

/// The attributes from which an element is given no more by later tags.
const MOST_ATTRIBUTES: usize = 200;

/// A node of a page.
#[derive(Debug)]
pub(super) struct PageNode {
    pub(super) content: NodeContent,
    parent: Option<NodeId>,
    before: Option<NodeId>,
    after: Option<NodeId>,
    first: Option<NodeId>,
    last: Option<NodeId>,
}

/// The content of a node.
#[derive(Debug)]
pub(super) enum NodeContent {
    Element {
        name: QualName,
        attributes: Vec<Attribute>,
    },
    Text(String),
    /// The root, a comment, an instruction, the contents of a template.
    Unseen,
}

/// The nodes of a page.
#[derive(Debug)]
pub(super) struct PageTree {
    nodes: Vec<PageNode>,
}

impl PageTree {
    /// A node.
    pub(super) fn node(&self, node: NodeId) -> Option<&PageNode> {
        self.nodes.get(node)
    }

    /// All nodes, in the order in which they were made.
    pub(super) fn nodes(&self) -> std::ops::Range<NodeId> {
        0..self.nodes.len()
    }

    /// The children of a node, in order.
    pub(super) fn children(&self, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let first = self.node(node).and_then(|node| node.first);
        std::iter::successors(first, |child| self.node(*child)?.after)
    }

    /// The local name of an element.
    pub(super) fn name(&self, node: NodeId) -> Option<&str> {
        match &self.node(node)?.content {
            NodeContent::Element { name, .. } => Some(&name.local),
            NodeContent::Text(_) | NodeContent::Unseen => None,
        }
    }

    /// The value of an attribute.
    pub(super) fn attribute(&self, node: NodeId, wanted: &str) -> Option<&str> {
        match &self.node(node)?.content {
            NodeContent::Element { attributes, .. } => {
                let found = attributes.iter().find(|attribute| &*attribute.name.local == wanted);
                found.map(|attribute| &*attribute.value)
            }
            NodeContent::Text(_) | NodeContent::Unseen => None,
        }
    }
}

/// Takes the nodes of a page as they are parsed.
#[derive(Debug)]
pub(super) struct TreeTaker {
    nodes: RefCell<Vec<PageNode>>,
    /// The depth of each node when it was put in its place.
    depths: RefCell<Vec<usize>>,
    /// The depth at which the next element is put, as far as it is known.
    depth: Cell<usize>,
}

impl TreeTaker {
    pub(super) fn new() -> Self {
        let taker = TreeTaker {
            nodes: RefCell::new(Vec::new()),
            depths: RefCell::new(Vec::new()),
            depth: Cell::new(0),
        };
        taker.create(NodeContent::Unseen);
        taker
    }

    /// The depth of the innermost open element.
    pub(super) fn depth(&self) -> usize {
        self.depth.get()
    }

    /// The number of nodes so far.
    pub(super) fn len(&self) -> usize {
        self.nodes.borrow().len()
    }

    fn create(&self, content: NodeContent) -> NodeId {
        let mut nodes = self.nodes.borrow_mut();
        nodes.push(PageNode { content, parent: None, before: None, after: None, first: None, last: None });
        self.depths.borrow_mut().push(0);
        nodes.len() - 1
    }

    fn with<T>(&self, node: NodeId, read: impl FnOnce(&mut PageNode) -> T) -> Option<T> {
        self.nodes.borrow_mut().get_mut(node).map(read)
    }

    fn link<T>(&self, node: Option<NodeId>, read: impl FnOnce(&PageNode) -> Option<T>) -> Option<T> {
        self.nodes.borrow().get(node?).and_then(read)
    }

    /// Adds to a text, if the node is one.
    fn extends(&self, node: Option<NodeId>, more: &str) -> bool {
        let Some(node) = node else { return false };
        let extended = self.with(node, |node| match &mut node.content {
            NodeContent::Text(text) => {
                text.push_str(more);
                true
            }
            NodeContent::Element { .. } | NodeContent::Unseen => false,
        });
        extended.unwrap_or_default()
    }

    /// Puts a node between others.
    fn put(&self, node: NodeId, parent: NodeId, before: Option<NodeId>, after: Option<NodeId>) {
        self.detach(node);
        self.with(node, |own| (own.parent, own.before, own.after) = (Some(parent), before, after));
        match before {
            Some(before) => self.with(before, |before| before.after = Some(node)),
            None => self.with(parent, |parent| parent.first = Some(node)),
        };
        match after {
            Some(after) => self.with(after, |after| after.before = Some(node)),
            None => self.with(parent, |parent| parent.last = Some(node)),
        };
        let is_element =
            self.with(node, |node| matches!(node.content, NodeContent::Element { .. })).unwrap_or_default();
        let mut depths = self.depths.borrow_mut();
        let depth = depths.get(parent).copied().unwrap_or_default() + 1;
        if let Some(own) = depths.get_mut(node) {
            *own = depth;
        }
        if is_element {
            self.depth.set(depth);
        }
    }

    fn detach(&self, node: NodeId) {
        let links = self.with(node, |node| (node.parent.take(), node.before.take(), node.after.take()));
        let Some((Some(parent), before, after)) = links else { return };
        match before {
            Some(before) => self.with(before, |before| before.after = after),
            None => self.with(parent, |parent| parent.first = after),
        };
        match after {
            Some(after) => self.with(after, |after| after.before = before),
            None => self.with(parent, |parent| parent.last = before),
        };
    }

    fn node_of(&self, child: NodeOrText<NodeId>) -> NodeId {
        match child {
            NodeOrText::AppendNode(node) => node,
            NodeOrText::AppendText(text) => self.create(NodeContent::Text(text.to_string())),
        }
    }
}

/// The name of an element while the tree is built.
#[derive(Debug)]
pub(super) struct TakenName(QualName);

impl ElemName for TakenName {
    fn ns(&self) -> &Namespace {
        &self.0.ns
    }

    fn local_name(&self) -> &LocalName {
        &self.0.local
    }
}

impl TreeSink for TreeTaker {
    type Handle = NodeId;
    type Output = PageTree;
    type ElemName<'a> = TakenName;

    fn finish(self) -> PageTree {
        PageTree { nodes: self.nodes.into_inner() }
    }

    fn parse_error(&self, _: Cow<'static, str>) {}

    fn get_document(&self) -> NodeId {
        ROOT
    }

    fn elem_name<'a>(&'a self, target: &'a NodeId) -> TakenName {
        let name = self.link(Some(*target), |node| match &node.content {
            NodeContent::Element { name, .. } => Some(name.clone()),
            NodeContent::Text(_) | NodeContent::Unseen => None,
        });
        TakenName(name.unwrap_or_else(|| QualName::new(None, ns!(), LocalName::from(""))))
    }

    fn create_element(&self, name: QualName, attributes: Vec<Attribute>, _: ElementFlags) -> NodeId {
        self.create(NodeContent::Element { name, attributes })
    }

    fn create_comment(&self, _: StrTendril) -> NodeId {
        self.create(NodeContent::Unseen)
    }

    fn create_pi(&self, _: StrTendril, _: StrTendril) -> NodeId {
        self.create(NodeContent::Unseen)
    }

    fn append(&self, parent: &NodeId, child: NodeOrText<NodeId>) {
        let last = self.link(Some(*parent), |parent| parent.last);
        if let NodeOrText::AppendText(text) = &child
            && self.extends(last, text)
        {
            return;
        }
        let node = self.node_of(child);
        self.detach(node);
        let last = self.link(Some(*parent), |parent| parent.last);
        self.put(node, *parent, last, None);
    }

    fn append_based_on_parent_node(&self, element: &NodeId, before: &NodeId, child: NodeOrText<NodeId>) {
        if self.link(Some(*element), |element| element.parent).is_some() {
            self.append_before_sibling(element, child);
        } else {
            self.append(before, child);
        }
    }

    fn append_doctype_to_document(&self, _: StrTendril, _: StrTendril, _: StrTendril) {}

    // What a template holds is never put into the page.
    fn get_template_contents(&self, _: &NodeId) -> NodeId {
        self.create(NodeContent::Unseen)
    }

    fn pop(&self, node: &NodeId) {
        let depth = self.depths.borrow().get(*node).copied().unwrap_or_default();
        self.depth.set(depth.saturating_sub(1));
    }

    fn same_node(&self, x: &NodeId, y: &NodeId) -> bool {
        x == y
    }

    fn set_quirks_mode(&self, _: QuirksMode) {}

    fn append_before_sibling(&self, sibling: &NodeId, child: NodeOrText<NodeId>) {
        let Some(parent) = self.link(Some(*sibling), |sibling| sibling.parent) else { return };
        let before = self.link(Some(*sibling), |sibling| sibling.before);
        if let NodeOrText::AppendText(text) = &child
            && self.extends(before, text)
        {
            return;
        }
        let node = self.node_of(child);
        self.detach(node);
        let before = self.link(Some(*sibling), |sibling| sibling.before);
        self.put(node, parent, before, Some(*sibling));
    }

    fn add_attrs_if_missing(&self, target: &NodeId, attributes: Vec<Attribute>) {
        self.with(*target, |node| match &mut node.content {
            NodeContent::Element { attributes: own, .. } => {
                if own.len() < MOST_ATTRIBUTES {
                    let missing = |new: &Attribute| own.iter().all(|known| known.name != new.name);
                    let new: Vec<Attribute> = attributes.into_iter().filter(missing).collect();
                    own.extend(new);
                }
            }
            NodeContent::Text(_) | NodeContent::Unseen => {}
        });
    }

    fn remove_from_parent(&self, target: &NodeId) {
        self.detach(*target);
    }

    fn reparent_children(&self, node: &NodeId, parent: &NodeId) {
        while let Some(child) = self.link(Some(*node), |node| node.first) {
            let last = self.link(Some(*parent), |parent| parent.last);
            self.detach(child);
            self.put(child, *parent, last, None);
        }
    }
}
