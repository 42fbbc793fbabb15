//! The names in a template: checks that each is known where it appears, inside loops, conditions and macros, too.
//!
//! The names that a template may use are fixed by its [`Role`], down to the members of an issue. An unknown name would
//! fail when the template is rendered, which may be at the third correction of the hundredth document.

use super::Role;
use super::shape::{LOOP, Shape, element, shape_of};
use crate::diag::{Code, Problem, Problems, SourceFile, Span, nearest};
use crate::value::Operation;
use minijinja::Environment;
use minijinja::machinery::ast::{BinOpKind, Call, CallArg, Expr, Macro, Stmt};
use minijinja::machinery::{Span as At, parse};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Macros in macros are followed no deeper than this.
const DEEPEST_CALL: usize = 8;

/// The functions that the template engine brings.
const FUNCTIONS: [&str; 3] = ["range", "dict", "namespace"];

/// Reports every unknown name, with its position. The template must have compiled.
pub(super) fn check(
    role: Role,
    file: &Arc<SourceFile>,
    environment: &Environment<'_>,
    problems: &mut Problems,
) {
    let Ok(Stmt::Template(template)) = parse(file.text(), file.name(), Default::default()) else { return };
    let mut known: BTreeMap<&str, Shape> =
        role.variables().iter().map(|name| (*name, shape_of(role, name))).collect();
    for (name, _) in environment.globals() {
        known.entry(name).or_insert(Shape::Any);
    }
    let mut names = TemplateNames {
        role,
        file,
        problems,
        scopes: vec![known],
        environment,
        macros: BTreeMap::new(),
        depth: 0,
        reported: Vec::new(),
    };
    names.body(&template.children);
}

struct TemplateNames<'a, 's> {
    role: Role,
    file: &'a Arc<SourceFile>,
    problems: &'a mut Problems,
    /// Names and their shapes, the innermost last.
    scopes: Vec<BTreeMap<&'s str, Shape>>,
    environment: &'a Environment<'a>,
    macros: BTreeMap<&'s str, &'s Macro<'s>>,
    depth: usize,
    /// Unknown variables: each is reported once.
    reported: Vec<String>,
}

impl<'s> TemplateNames<'_, 's> {
    fn body(&mut self, body: &'s [Stmt<'s>]) {
        body.iter().for_each(|statement| self.statement(statement));
    }

    /// A body with names of its own.
    fn inside(&mut self, names: BTreeMap<&'s str, Shape>, body: &'s [Stmt<'s>]) {
        self.scopes.push(names);
        self.body(body);
        self.scopes.pop();
    }

    fn declare(&mut self, target: &'s Expr<'s>, shape: Shape) {
        let mut names = BTreeMap::new();
        bind(target, shape, &mut names);
        if let Some(scope) = self.scopes.last_mut() {
            scope.extend(names);
        }
    }

    fn statement(&mut self, statement: &'s Stmt<'s>) {
        match statement {
            Stmt::Template(template) => self.body(&template.children),
            Stmt::EmitExpr(emit) => {
                self.expression(&emit.expr);
            }
            Stmt::ForLoop(each) => {
                let element = element(self.expression(&each.iter));
                let mut names = BTreeMap::from([("loop", LOOP)]);
                bind(&each.target, element, &mut names);
                self.scopes.push(names);
                if let Some(filter) = &each.filter_expr {
                    self.expression(filter);
                }
                self.body(&each.body);
                self.scopes.pop();
                self.body(&each.else_body);
            }
            Stmt::IfCond(condition) => {
                self.expression(&condition.expr);
                // Names set in one branch may be used after it.
                self.body(&condition.true_body);
                self.body(&condition.false_body);
            }
            Stmt::WithBlock(with) => {
                let mut names = BTreeMap::new();
                for (target, value) in &with.assignments {
                    let shape = self.expression(value);
                    bind(target, shape, &mut names);
                }
                self.inside(names, &with.body);
            }
            Stmt::Set(set) => {
                let shape = self.expression(&set.expr);
                self.declare(&set.target, shape);
            }
            Stmt::SetBlock(set) => {
                self.optional(set.filter.as_ref());
                self.inside(BTreeMap::new(), &set.body);
                self.declare(&set.target, Shape::Plain);
            }
            Stmt::AutoEscape(escape) => {
                self.expression(&escape.enabled);
                self.body(&escape.body);
            }
            Stmt::FilterBlock(filtered) => {
                self.expression(&filtered.filter);
                self.inside(BTreeMap::new(), &filtered.body);
            }
            Stmt::Block(block) => self.inside(BTreeMap::new(), &block.body),
            Stmt::Macro(declared) => {
                self.macros.insert(declared.name, declared);
                if let Some(scope) = self.scopes.last_mut() {
                    scope.insert(declared.name, Shape::Any);
                }
                // A macro that is called is checked with the arguments of the call.
                self.call_macro(declared, &[]);
            }
            Stmt::CallBlock(block) => {
                self.call(&block.call);
                self.call_macro(&block.macro_decl, &[]);
            }
            Stmt::Do(action) => {
                self.call(&action.call);
            }
            // Other files have been refused already.
            Stmt::EmitRaw(_)
            | Stmt::Import(_)
            | Stmt::FromImport(_)
            | Stmt::Extends(_)
            | Stmt::Include(_) => {}
        }
    }

    fn optional(&mut self, expression: Option<&'s Expr<'s>>) {
        if let Some(expression) = expression {
            self.expression(expression);
        }
    }

    /// Checks every name in an expression, and returns the shape of the expression.
    fn expression(&mut self, expression: &'s Expr<'s>) -> Shape {
        match expression {
            Expr::Var(variable) => self.variable(variable.id, variable.span()),
            Expr::Const(_) => Shape::Plain,
            Expr::Slice(slice) => {
                let shape = self.expression(&slice.expr);
                for part in [&slice.start, &slice.stop, &slice.step] {
                    self.optional(part.as_ref());
                }
                shape
            }
            Expr::UnaryOp(operation) => {
                self.expression(&operation.expr);
                Shape::Plain
            }
            Expr::BinOp(operation) => {
                let (left, right) = (self.expression(&operation.left), self.expression(&operation.right));
                let joins = matches!(
                    operation.op,
                    BinOpKind::Add | BinOpKind::ScOr | BinOpKind::ScAnd | BinOpKind::Concat
                );
                if joins && left == right { left } else { Shape::Any }
            }
            Expr::Compare(comparison) => {
                self.expression(&comparison.expr);
                for operand in &comparison.ops {
                    self.expression(&operand.expr);
                }
                Shape::Plain
            }
            Expr::IfExpr(choice) => {
                self.expression(&choice.test_expr);
                let yes = self.expression(&choice.true_expr);
                match &choice.false_expr {
                    Some(no) if self.expression(no) != yes => Shape::Any,
                    _ => yes,
                }
            }
            Expr::Filter(filter) => {
                let shape = filter.expr.as_ref().map_or(Shape::Any, |inner| self.expression(inner));
                self.arguments(&filter.args);
                self.operation(Operation::Filter, filter.name, filter.span());
                match filter.name {
                    "sort" | "reverse" | "list" | "unique" | "selectattr" | "rejectattr" | "select"
                    | "reject" => shape,
                    "first" | "last" => element(shape),
                    _ => Shape::Any,
                }
            }
            Expr::Test(test) => {
                self.expression(&test.expr);
                self.arguments(&test.args);
                self.operation(Operation::Test, test.name, test.span());
                Shape::Plain
            }
            Expr::GetAttr(get) => {
                let shape = self.expression(&get.expr);
                self.member(&shape, get.name, get.span())
            }
            Expr::GetItem(get) => {
                let shape = self.expression(&get.expr);
                match &get.subscript_expr {
                    Expr::Const(name) => match name.value.as_str() {
                        Some(name) => {
                            let (name, at) = (name.to_owned(), get.span());
                            self.member(&shape, &name, at)
                        }
                        None => element(shape),
                    },
                    index => {
                        self.expression(index);
                        Shape::Any
                    }
                }
            }
            Expr::Call(call) => self.call(call),
            Expr::List(list) => {
                list.items.iter().for_each(|item| drop(self.expression(item)));
                Shape::List(Box::new(Shape::Any))
            }
            Expr::Tuple(tuple) => {
                tuple.items.iter().for_each(|item| drop(self.expression(item)));
                Shape::Any
            }
            Expr::Map(map) => {
                map.keys.iter().chain(&map.values).for_each(|part| drop(self.expression(part)));
                Shape::Any
            }
        }
    }

    fn arguments(&mut self, arguments: &'s [CallArg<'s>]) -> Vec<Shape> {
        let value = |argument: &'s CallArg<'s>| match argument {
            CallArg::Pos(value)
            | CallArg::Kwarg(_, value)
            | CallArg::PosSplat(value)
            | CallArg::KwargSplat(value) => value,
        };
        arguments.iter().map(|argument| self.expression(value(argument))).collect()
    }

    fn call(&mut self, call: &'s Call<'s>) -> Shape {
        let arguments = self.arguments(&call.args);
        match &call.expr {
            Expr::Var(function) => {
                self.function(function.id, function.span());
                if let Some(called) = self.macros.get(function.id).copied()
                    && call.args.iter().all(|argument| matches!(argument, CallArg::Pos(_)))
                {
                    self.call_macro(called, &arguments);
                }
            }
            // A method: `loop.cycle(…)`, `texts.items()`. What methods there are depends on the value.
            Expr::GetAttr(method) => {
                let shape = self.expression(&method.expr);
                self.method(&shape, method.name, method.span());
            }
            other => drop(self.expression(other)),
        }
        Shape::Any
    }

    fn call_macro(&mut self, called: &'s Macro<'s>, arguments: &[Shape]) {
        if self.depth >= DEEPEST_CALL {
            return;
        }
        called.defaults.iter().for_each(|default| drop(self.expression(default)));
        let mut names =
            BTreeMap::from([("caller", Shape::Any), ("varargs", Shape::Any), ("kwargs", Shape::Any)]);
        for (at, parameter) in called.args.iter().enumerate() {
            bind(parameter, arguments.get(at).cloned().unwrap_or(Shape::Any), &mut names);
        }
        self.depth += 1;
        self.inside(names, &called.body);
        self.depth -= 1;
    }

    fn variable(&mut self, name: &str, at: At) -> Shape {
        if let Some(shape) = self.scopes.iter().rev().find_map(|scope| scope.get(name)) {
            return shape.clone();
        }
        if !self.reported.iter().any(|known| known == name) {
            self.reported.push(name.to_owned());
            let nearby = self.scopes.iter().skip(1).flat_map(|scope| scope.keys().copied());
            let known = self.role.variables();
            let help = match (name, self.role, nearest(name, known.iter().copied().chain(nearby))) {
                ("reference", Role::Stage, _) => {
                    "only judges see the reference: the answer would be shown to the model that is tested"
                        .to_owned()
                }
                ("candidate", Role::Stage, _) => {
                    "what is to be corrected is shown by the feedback template, as `previous`".to_owned()
                }
                (
                    "document" | "text" | "input" | "content" | "contents" | "doc" | "document_text",
                    Role::Stage | Role::Judge,
                    _,
                ) => "the text of the document is `source`: write `{{ source }}`".to_owned(),
                ("issues", Role::Feedback, _) => {
                    "issues come by their severity, as `critical`, `major` and `minor`".to_owned()
                }
                (_, _, Some(guess)) => format!("did you mean `{guess}`?"),
                _ => format!("known here: {}", known.join(", ")),
            };
            let span = self.place(name, at);
            self.problems.push(
                Problem::error(Code::BadTemplate, &span, format!("unknown variable `{name}`")).help(help),
            );
        }
        Shape::Any
    }

    /// Reports a function that does not exist.
    fn function(&mut self, name: &str, at: At) {
        if self.scopes.iter().any(|scope| scope.contains_key(name)) {
            return;
        }
        let macros = self.macros.keys().copied();
        let help = match nearest(name, FUNCTIONS.into_iter().chain(macros)) {
            Some(guess) => format!("did you mean `{guess}`?"),
            None => as_filter(self.environment, name)
                .unwrap_or_else(|| format!("known here: {}", FUNCTIONS.join(", "))),
        };
        let span = self.place(name, at);
        let message = format!("unknown function `{name}`");
        self.problems.push(Problem::error(Code::BadTemplate, &span, message).help(help));
    }

    /// Reports a function that is called on a text, a number or a list: those have none.
    fn method(&mut self, shape: &Shape, name: &str, at: At) {
        let whose = match shape {
            Shape::Plain => "a text or number",
            Shape::List(_) => "a list",
            Shape::Any | Shape::Record(..) => return,
        };
        let help = as_filter(self.environment, name)
            .unwrap_or_else(|| "a filter follows a bar: `{{ value | upper }}`".to_owned());
        let span = self.place(name, at);
        let message = format!("{whose} has no function `{name}`");
        self.problems.push(Problem::error(Code::BadTemplate, &span, message).help(help));
    }

    /// Reports a filter or a test that does not exist.
    fn operation(&mut self, operation: Operation, name: &str, at: At) {
        if operation.exists(self.environment, name) {
            return;
        }
        let help = operation.advice(self.environment, name);
        let span = self.place(name, at);
        let message = format!("unknown {} `{name}`", operation.what());
        self.problems.push(Problem::error(Code::BadTemplate, &span, message).help(help));
    }

    fn member(&mut self, shape: &Shape, name: &str, at: At) -> Shape {
        let (whose, known): (&str, &[&str]) = match shape {
            Shape::Any => return Shape::Any,
            Shape::Record(_, known) if known.contains(&name) => {
                return if known.contains(&"cycle") { Shape::Any } else { Shape::Plain };
            }
            Shape::Record(whose, known) => (whose, known),
            Shape::List(_) => ("a list", &[]),
            Shape::Plain => ("a text or number", &[]),
        };
        let help = match (shape, nearest(name, known.iter().copied())) {
            (_, Some(guess)) => format!("did you mean `{guess}`?"),
            (Shape::List(_), _) => "go through it: `{% for each in … %}{{ each }}{% endfor %}`".to_owned(),
            (Shape::Plain, _) => "write it without the dot and what follows".to_owned(),
            _ => format!("it has {}", known.join(", ")),
        };
        let span = self.place(name, at);
        self.problems
            .push(Problem::error(Code::BadTemplate, &span, format!("{whose} has no `{name}`")).help(help));
        Shape::Any
    }

    /// The position of a name in the expression at `at`: the last one, for members.
    fn place(&self, name: &str, at: At) -> Span {
        let (start, end) = (at.start_offset as usize, at.end_offset as usize);
        let text = self.file.text().get(start..end).unwrap_or_default();
        match text.rfind(name) {
            Some(offset) => Span::new(self.file, start + offset, start + offset + name.len()),
            None => Span::new(self.file, start, end.max(start + 1)),
        }
    }
}

/// The filter to write instead of a function of the same name.
fn as_filter(environment: &Environment<'_>, name: &str) -> Option<String> {
    let exists = Operation::Filter.exists(environment, name);
    exists.then(|| format!("it follows a bar: `{{{{ value | {name} }}}}`"))
}

/// The names that an assignment gives a value to.
fn bind<'s>(target: &'s Expr<'s>, shape: Shape, names: &mut BTreeMap<&'s str, Shape>) {
    match target {
        Expr::Var(variable) => {
            names.insert(variable.id, shape);
        }
        Expr::List(list) => list.items.iter().for_each(|item| bind(item, Shape::Any, names)),
        Expr::Tuple(tuple) => tuple.items.iter().for_each(|item| bind(item, Shape::Any, names)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::{Engine, PROMPT};

    fn said(role: Role, text: &str) -> Vec<String> {
        let file = SourceFile::new("t.md", text);
        let mut problems = Problems::new();
        check(role, &file, Engine::new(PROMPT).environment(), &mut problems);
        problems
            .iter()
            .map(|p| {
                let help = p.help.clone().unwrap_or_default();
                let at = p.span.as_ref().unwrap().location();
                format!("{}:{} {} | {help}", at.line, at.column, p.message)
            })
            .collect()
    }

    #[test]
    fn names_in_loops_conditions_and_macros_are_looked_up() {
        let text = "{% for issue in critical %}{{ issue.mesage }}{{ loop.index }}{{ isue }}{% endfor %}
{% if missing %}{{ missin | join }}{% endif %}
{% macro listed(issues) %}{% for one in issues %}{{ one.sugested_fix }}{% endfor %}{% endmacro %}
{{ listed(major) }}{{ listed(minor) }}
{{ critical[0].rul }}{{ critical.message }}{{ score.value }}{{ (major | first)[\"cod\"] }}";
        assert_eq!(
            said(Role::Feedback, text),
            [
                "1:37 an issue has no `mesage` | did you mean `message`?",
                "1:65 unknown variable `isue` | did you mean `issue`?",
                "2:20 unknown variable `missin` | did you mean `missing`?",
                "3:57 an issue has no `sugested_fix` | did you mean `suggested_fix`?",
                "5:16 an issue has no `rul` | did you mean `rule`?",
                "5:34 a list has no `message` | go through it: `{% for each in … %}{{ each }}{% endfor %}`",
                "5:53 a text or number has no `value` | write it without the dot and what follows",
                "5:81 an issue has no `cod` | did you mean `code`?",
            ]
        );
    }

    #[test]
    fn what_a_template_names_itself_is_known() {
        let text = "{% set all = critical + major %}{% for i in all %}{{ i.message }}{% else %}{{ score }}{% endfor %}
{% with n = missing | length %}{{ n }}{% endwith %}{% set text %}x{% endset %}{{ text | upper }}
{% for i in range(3) %}{{ i }}{% endfor %}{% for a, b in dict(x=1) | items %}{{ a }}{{ b }}{% endfor %}
{% macro x(a, b=2) %}{{ a }}{{ b }}{% endmacro %}{{ x(1) if score > 1 else '' }}";
        assert_eq!(said(Role::Feedback, text), Vec::<String>::new());
    }

    #[test]
    fn filters_tests_and_functions_are_looked_up() {
        let text =
            "{{ source | upcase }}{{ source | select_attr('a') | trimm }}{% if source is defind %}{% endif %}
{{ upper(source) }}{{ rnge(3) }}{{ source.upper() }}{% filter uper %}x{% endfilter %}{{ document }}";
        assert_eq!(
            said(Role::Stage, text),
            [
                "1:13 unknown filter `upcase` | did you mean `upper`?",
                "1:53 unknown filter `trimm` | did you mean `trim`?",
                "1:77 unknown test `defind` | did you mean `defined`?",
                "2:4 unknown function `upper` | it follows a bar: `{{ value | upper }}`",
                "2:23 unknown function `rnge` | did you mean `range`?",
                "2:43 a text or number has no function `upper` | it follows a bar: `{{ value | upper }}`",
                "2:63 unknown filter `uper` | did you mean `upper`?",
                "2:89 unknown variable `document` | the text of the document is `source`: write `{{ source }}`",
            ]
        );
    }

    #[test]
    fn each_role_knows_its_own_names() {
        assert_eq!(
            said(Role::Stage, "{{ reference }}{% for p in context %}{{ p.txt }}{% endfor %}{{ stages.a.b }}"),
            [
                "1:4 unknown variable `reference` | only judges see the reference: the answer would be shown to the model that is tested",
                "1:43 a passage has no `txt` | did you mean `text`?",
            ]
        );
        assert_eq!(said(Role::Judge, "{{ candidat }}{{ reference }}").len(), 1);
    }
}
