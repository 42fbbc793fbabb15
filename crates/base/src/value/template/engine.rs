//! The template engine: the one place in which it is set up.

use super::comparisons::Comparisons;
use super::compile::{self, Compiled};
use super::limits::{Limits, PATH};
use super::{filters, meter};
use minijinja::machinery::{Instruction, eval, make_string_output, parse_expr};
use minijinja::{AutoEscape, Environment, Error, ErrorKind, Output, State, UndefinedBehavior, Value};
use std::collections::HashSet;
use std::fmt;
use std::sync::LazyLock;

/// The function that writes a value into the text.
pub(super) type Formatter = fn(&mut Output<'_>, &mut State<'_, '_>, &Value) -> Result<(), Error>;

static PATHS: LazyLock<Engine> = LazyLock::new(|| Engine::new(PATH));

/// Fills in a path such as `schemas/{{ document_type }}.schema.json`.
///
/// # Errors
/// Returns what is wrong with it.
pub fn fill_in_path(path: &str, variables: Value) -> Result<String, Error> {
    PATHS.render(path, variables)
}

/// Templates or conditions of one kind.
pub struct Engine {
    environment: Environment<'static>,
    limits: Limits,
}

impl fmt::Debug for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Engine").field("limits", &self.limits).finish_non_exhaustive()
    }
}

impl Engine {
    /// An engine that writes values as they are.
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        Engine::with_formatter(limits, minijinja::escape_formatter)
    }

    /// An engine that writes values with `formatter`.
    #[must_use]
    pub fn with_formatter(limits: Limits, formatter: Formatter) -> Self {
        let mut environment = Environment::empty();
        // Otherwise a misspelt member would be an empty text, and `not tagger.relevant` would hold where the tagger
        // says nothing about it.
        environment.set_undefined_behavior(UndefinedBehavior::Strict);
        environment.set_fuel(Some(limits.steps));
        environment.set_auto_escape_callback(|_| AutoEscape::None);
        environment.set_formatter(move |out, state, value| {
            meter::charge(state, limits.bytes, value)?;
            formatter(out, state, value)
        });
        filters::add_to(&mut environment, limits.bytes);
        Engine { environment, limits }
    }

    /// The environment, to look names up in.
    #[must_use]
    pub fn environment(&self) -> &Environment<'static> {
        &self.environment
    }

    /// Compiles a template.
    ///
    /// # Errors
    /// Returns an error if it is not one, or exceeds a limit that needs no rendering to be seen.
    pub fn template<'s>(&'s self, name: &'s str, source: &'s str) -> Result<Program<'s>, Error> {
        let compiled = compile::template(self.limits, name, source)?;
        Ok(Program { engine: self, compiled: Held::Own(Box::new(compiled)) })
    }

    /// Compiles a template of a text that lives as long as the process, to be rendered again and again.
    ///
    /// # Errors
    /// As for a template.
    pub fn keep(&self, name: &'static str, source: &'static str) -> Result<KeptTemplate, Error> {
        compile::template(self.limits, name, source).map(KeptTemplate)
    }

    /// A template that was kept, of this engine.
    #[must_use]
    pub fn kept<'s>(&'s self, template: &'s KeptTemplate) -> Program<'s> {
        Program { engine: self, compiled: Held::Kept(&template.0) }
    }

    /// Compiles a condition.
    ///
    /// # Errors
    /// As for a template.
    pub fn expression<'s>(&'s self, source: &'s str) -> Result<Program<'s>, Error> {
        let compiled = compile::expression(self.limits, source)?;
        Ok(Program { engine: self, compiled: Held::Own(Box::new(compiled)) })
    }

    /// The comparisons that a condition makes.
    ///
    /// # Errors
    /// As for compiling it.
    pub fn comparisons(&self, source: &str) -> Result<Comparisons, Error> {
        compile::check(self.limits, source, true)?;
        Ok(Comparisons::of(&parse_expr(source)?))
    }

    /// The variables that a template uses and does not set itself.
    ///
    /// # Errors
    /// As for compiling it.
    pub fn undeclared(&self, source: &str) -> Result<HashSet<String>, Error> {
        compile::check(self.limits, source, false)?;
        Ok(self.environment.template_from_named_str("template", source)?.undeclared_variables(false))
    }

    /// The variables that a condition uses.
    ///
    /// # Errors
    /// As for compiling it.
    pub fn undeclared_in_expression(&self, source: &str) -> Result<HashSet<String>, Error> {
        compile::check(self.limits, source, true)?;
        Ok(self.environment.compile_expression(source)?.undeclared_variables(false))
    }

    /// Adds a template whose names are asked for later.
    ///
    /// # Errors
    /// As for compiling it.
    pub fn add(&mut self, name: String, source: String) -> Result<(), Error> {
        compile::template(self.limits, &name, &source)?;
        self.environment.add_template_owned(name, source)
    }

    /// Compiles and renders a template.
    ///
    /// # Errors
    /// Returns what is wrong with it, or the limit that it exceeded.
    pub fn render(&self, source: &str, variables: Value) -> Result<String, Error> {
        self.template("template", source)?.render(variables)
    }
}

/// A compiled template that is rendered again and again.
pub struct KeptTemplate(Compiled<'static>);

/// A compiled template or condition.
pub struct Program<'s> {
    engine: &'s Engine,
    compiled: Held<'s>,
}

enum Held<'s> {
    Own(Box<Compiled<'s>>),
    Kept(&'s Compiled<'s>),
}

impl<'s> std::ops::Deref for Held<'s> {
    type Target = Compiled<'s>;

    fn deref(&self) -> &Compiled<'s> {
        match self {
            Held::Own(compiled) => compiled,
            Held::Kept(compiled) => compiled,
        }
    }
}

impl<'s> Program<'s> {
    /// The engine that compiled it.
    #[must_use]
    pub fn engine(&self) -> &'s Engine {
        self.engine
    }

    /// Its instructions, with those of its blocks.
    pub(super) fn instructions(&self) -> impl Iterator<Item = &Instruction<'s>> {
        let all = std::iter::once(&self.compiled.instructions).chain(self.compiled.blocks.values());
        all.flat_map(|instructions| (0..).map_while(|at| instructions.get(at)))
    }

    /// The text with its variables filled in.
    ///
    /// # Errors
    /// Returns an error if something in it can't be computed or exceeds a limit.
    pub fn render(&self, variables: Value) -> Result<String, Error> {
        let mut text = String::new();
        self.run(&mut make_string_output(&mut text), variables)?;
        Ok(text)
    }

    /// The value of a condition.
    ///
    /// # Errors
    /// Returns an error if something in it can't be computed or exceeds a limit.
    pub fn evaluate(&self, variables: Value) -> Result<Value, Error> {
        let mut nothing = String::new();
        let value = self.run(&mut make_string_output(&mut nothing), variables)?;
        value.ok_or_else(|| Error::new(ErrorKind::InvalidOperation, "this is not an expression"))
    }

    fn run(&self, out: &mut Output<'_>, variables: Value) -> Result<Option<Value>, Error> {
        let Compiled { instructions, blocks } = &*self.compiled;
        let result = eval(&self.engine.environment, instructions, variables, blocks, out, AutoEscape::None);
        result.map(|(value, _)| value).map_err(|error| match error.kind() {
            ErrorKind::OutOfFuel => {
                let steps = self.engine.limits.steps;
                Error::new(ErrorKind::OutOfFuel, format!("it takes more than {steps} steps"))
            }
            _ => error,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::{CONDITION, MESSAGE, PROMPT};
    use super::*;
    use minijinja::context;

    fn rendered(source: &str) -> Result<String, String> {
        let issues = vec![context! { message => "a", n => 1 }, context! { message => "b", n => 2 }];
        let variables = context! { source => "Size: 12 mm", issues, score => 0.5, none => () };
        Engine::new(MESSAGE).render(source, variables).map_err(|error| error.to_string())
    }

    #[test]
    fn what_is_counted_means_what_it_says() {
        for (source, expected) in [
            ("{{ source }}, {{ score * 100 }}, {{ 1 + 2 * 3 }}", "Size: 12 mm, 50.0, 7"),
            (
                "{% for i in issues %}{{ loop.index ~ '. ' ~ i.message }}{% if not loop.last %}, {% endif %}{% endfor %}",
                "1. a, 2. b",
            ),
            ("{% for i in issues if i.n > 1 %}{{ i.message }}{% else %}none{% endfor %}", "b"),
            (
                "{% set ns = namespace(n=0) %}{% for i in issues %}{% set ns.n = ns.n + i.n %}{% endfor %}{{ ns.n }}",
                "3",
            ),
            ("{% macro m(a, b=2) %}<{{ a }}{{ b }}>{% endmacro %}{{ m(1) }}{{ m('x', b='y') }}", "<12><xy>"),
            ("{% macro m() %}({{ caller() }}){% endmacro %}{% call m() %}in{% endcall %}", "(in)"),
            ("{% set x %}a{{ score }}{% endset %}{{ x | upper }}{% filter upper %}b{% endfilter %}", "A0.5B"),
            (
                "{{ source[:4] }}{{ source[-2:] }}{{ [1, 2, 3, 4][1:4:2] }}{{ source[6:-3] }}",
                "Sizemm[2, 4]12",
            ),
            (
                "{% if 0 < score < 1 and 'mm' in source %}y{% endif %}{% if 0.5 < score < 1 %}n{% endif %}",
                "y",
            ),
            (
                "{{ issues | map(attribute='message') | join(', ') }}{{ issues | selectattr('n', 'gt', 1) | length }}",
                "a, b1",
            ),
            ("{% for k, v in {'a': 1, 'b': [2]} | items %}{{ k }}={{ v }};{% endfor %}", "a=1;b=[2];"),
            ("{% for a, b in [[1, 2], [3, 4]] %}{{ a + b }} {% endfor %}", "3 7 "),
            (
                "{{ 'a\nb' | indent(2) }}{{ 'aXbX' | replace('X', '--') }}{{ {'a': [1]} | tojson }}",
                "a\n  ba--b--{\"a\": [1]}",
            ),
            (
                "{{ [3, 1, 2] | sort | reverse | join }}{{ range(3) | sum }}{{ [1, 2, 3] | batch(2) | length }}",
                "32132",
            ),
            (
                "{{ missing | default('d') }}{{ source is defined }}{{ 4 is divisibleby(2) }}{{ none or 'x' }}",
                "dTrueTruex",
            ),
            (
                "{% for i in [1, [2, [3]]] recursive %}{% if i is sequence %}{{ loop(i) }}{% else %}{{ i }}{% endif %}{% endfor %}",
                "123",
            ),
            ("{% block b %}{{ 'a' ~ 'b' }}{% endblock %}{{ [1] + [2] }}", "ab[1, 2]"),
        ] {
            assert_eq!(rendered(source).as_deref(), Ok(expected), "{source}");
        }
        assert!(rendered("{{ issues[0].mesage }}").is_err());
    }

    #[test]
    fn nothing_that_grows_without_bound_is_computed() {
        let begun = "{% set x = source %}";
        let doubled = format!("{begun}{}{{{{ x | length }}}}", "{% set x = x ~ x %}".repeat(60));
        let nested = format!("{begun}{}{{{{ x }}}}", "{% set x = [x, x] %}".repeat(60));
        let deep = format!("{begun}{}{{{{ x }}}}", "{% set x = [x] %}".repeat(500));
        let listed = format!("{{% set x = [1] %}}{}{{{{ x | sum }}}}", "{% set x = x + x %}".repeat(60));
        let captured = format!("{begun}{}{{{{ x }}}}", "{% set x %}{{ x }}{{ x }}{% endset %}".repeat(60));
        let written = format!("{{% for i in range(9000) %}}{}{{% endfor %}}", "x".repeat(10_000));
        let grown = "{% set t = source | replace('', source) | replace('', source) | replace('', source) %}";
        let replaced = format!("{grown}{{{{ t | replace('', t) | length }}}}");
        let joined = format!("{grown}{{{{ range(20000) | join(t) }}}}");
        for source in [
            "{{ source * 100000 }}",
            "{{ 'a' * 100000000 }}",
            "{{ ('a' ~ 'b') * 1000 }}",
            "{{ (1, 2) * 50000000 }}",
            "{{ [source] * 1000 }}",
            "{{ source | indent(1000000000, true) }}",
            "{{ [1] | tojson(indent=1000000000) }}",
            "{{ [1] | batch(1000000000, 'x') }}",
            "{{ [1] | slice(1000000000) }}",
            "{% for i in range(100000) %}{% for j in range(100000) %}{% endfor %}{% endfor %}",
            "{% set ns = namespace() %}{% set ns.self = ns %}{{ ns }}",
            "{% set ns = namespace(t=source) %}{% for i in range(60) %}{% set ns.t = ns.t ~ ns.t %}{% endfor %}",
            "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
            "{{ range(*issues) }}",
            "{% include 'other' %}",
            "{{ source | format(1) }}",
            "{{ debug() }}",
            &doubled,
            &nested,
            &deep,
            &listed,
            &captured,
            &written,
            &replaced,
            &joined,
        ] {
            assert!(rendered(source).is_err(), "{source}");
        }
    }

    #[test]
    fn conditions_have_bounds_before_they_are_compiled() {
        let engine = Engine::new(CONDITION);
        let why = |source: &str| engine.expression(source).err().map(|error| error.to_string());
        assert_eq!(why("overall < 0.80 or status != passed"), None);
        for (source, part) in [
            (format!("({}a)", "a < 0.5 or ".repeat(2_000)), "more than 4096 bytes"),
            (format!("{}a", "a or ".repeat(300)), "more than 200 operators"),
            (format!("{}a", "not ".repeat(300)), "more than 200 operators"),
            (
                "(\"a\" * 100000) | replace(\"a\", \"b\" * 100000) | length > a".to_owned(),
                "multiplies numbers only",
            ),
        ] {
            let message = why(&source).unwrap_or_default();
            assert!(message.contains(part), "{message}");
        }
        let text = "a".repeat(100_000);
        let program = engine.expression("t | replace('a', t) | length > 1").unwrap();
        assert!(program.evaluate(context! { t => text }).is_err());
    }

    #[test]
    fn a_document_of_megabytes_can_be_asked_about() {
        let source = "Report. ".repeat(1 << 20);
        let engine = Engine::new(PROMPT);
        let text = engine.render("{{ source | trim }}\n{{ source }}", context! { source }).unwrap();
        assert_eq!(text.len(), 16 << 20);
    }
}
