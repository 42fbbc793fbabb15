//! Calls of functions that do not exist: Rhai looks a function up when it is called, which may be months later.

use rhai::{AST, ASTNode, Engine, Expr, FnCallExpr, Position, Stmt};
use std::collections::BTreeSet;

/// Names that Rhai itself understands, regardless of the registered functions.
const BUILT_IN: [&str; 10] =
    ["print", "debug", "type_of", "Fn", "call", "curry", "is_shared", "is_def_var", "is_def_fn", "this"];

/// A call of a function that is neither in the script nor in the sandbox.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct UnknownCall {
    /// The name of the called function.
    pub(super) name: String,
    /// The number of values in the call, including the one before the dot.
    pub(super) values: usize,
    /// The numbers of values that the functions of this name take, if there are any.
    pub(super) takes: Vec<usize>,
    /// The position of the call.
    pub(super) at: Position,
}

/// The functions of the sandbox, by name and number of values.
pub(super) fn registered(engine: &Engine) -> BTreeSet<(String, usize)> {
    let known = engine.collect_fn_metadata(
        None,
        |function| Some((function.metadata.name.to_string(), function.metadata.num_params)),
        true,
    );
    known.into_iter().collect()
}

/// Every call in a script that can't find its function, in the order of the script. Types are not inspected: a number
/// has no `to_upper`, but what is a number is not known before the script runs.
pub(super) fn unknown_calls(ast: &AST, registered: &BTreeSet<(String, usize)>) -> Vec<UnknownCall> {
    let mut known = registered.clone();
    known.extend(ast.iter_functions().map(|function| (function.name.to_owned(), function.params.len())));
    // A function in a map is called like a method: `rule.check(value)`.
    let mut members: BTreeSet<String> = BTreeSet::new();
    ast.walk(&mut |path| {
        match path.last() {
            Some(ASTNode::Expr(Expr::Map(map, _))) => {
                members.extend(map.0.iter().map(|(name, _)| name.name.to_string()));
            }
            Some(ASTNode::Expr(Expr::Property(property, _))) => {
                members.insert(property.2.to_string());
            }
            _ => {}
        }
        true
    });
    let mut found: Vec<UnknownCall> = Vec::new();
    ast.walk(&mut |path| {
        let (call, at, is_method) = match path.last() {
            Some(ASTNode::Expr(Expr::FnCall(call, at)) | ASTNode::Stmt(Stmt::FnCall(call, at))) => {
                (call, *at, false)
            }
            Some(ASTNode::Expr(Expr::MethodCall(call, at))) => (call, *at, true),
            _ => return true,
        };
        if let Some(unknown) = unknown(call, at, is_method, &known, &members)
            && !found.contains(&unknown)
        {
            found.push(unknown);
        }
        true
    });
    found.sort_by_key(|call| (call.at.line(), call.at.position()));
    found
}

fn unknown(
    call: &FnCallExpr,
    at: Position,
    is_method: bool,
    known: &BTreeSet<(String, usize)>,
    members: &BTreeSet<String>,
) -> Option<UnknownCall> {
    let name = call.name.as_str();
    // An operator is never missing: whether it fits depends on its operands. Closures have names that can't be written.
    let has_name = name.starts_with(|c: char| c.is_alphabetic() || c == '_') && !name.contains('$');
    if call.is_operator_call() || call.is_qualified() || !has_name || BUILT_IN.contains(&name) {
        return None;
    }
    let values = call.args.len() + usize::from(is_method);
    let takes: Vec<usize> =
        known.iter().filter(|(known, _)| known == name).map(|(_, takes)| *takes).collect();
    // A function of the script may be called on a value, which it then knows as `this`.
    let fits = takes.contains(&values) || (is_method && takes.contains(&call.args.len()));
    let is_member = is_method && members.contains(name);
    (!fits && !is_member).then(|| UnknownCall { name: name.to_owned(), values, takes, at })
}
