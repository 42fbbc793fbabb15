//! The comparisons that a condition makes, read from its source.

use minijinja::machinery::ast::{BinOpKind, Expr, UnaryOpKind};
use minijinja::value::ValueKind;

/// The comparisons that a condition makes.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Comparisons {
    /// The numbers that are written in it.
    pub numbers: Vec<f64>,
    /// The texts that are written in it, except for names.
    pub texts: Vec<String>,
    /// The names that it uses, with what follows a dot: `issues.critical`.
    pub members: Vec<String>,
    /// Names that it compares with each other.
    pub pairs: Vec<[String; 2]>,
    /// `true` if it does more with values than compare them with each other and with what is written in it.
    pub computes: bool,
}

/// One side of a comparison.
enum Side {
    Constant,
    Name(String),
    /// The names in a list.
    Names(Vec<String>),
}

impl Comparisons {
    pub(super) fn of(condition: &Expr<'_>) -> Self {
        let mut found = Comparisons::default();
        found.look(condition);
        found
    }

    /// Reads a condition that is true or false.
    fn look(&mut self, condition: &Expr<'_>) {
        match condition {
            Expr::UnaryOp(not) if matches!(not.op, UnaryOpKind::Not) => self.look(&not.expr),
            Expr::BinOp(operation) => match operation.op {
                BinOpKind::ScAnd | BinOpKind::ScOr => {
                    self.look(&operation.left);
                    self.look(&operation.right);
                }
                BinOpKind::Eq
                | BinOpKind::Ne
                | BinOpKind::Lt
                | BinOpKind::Lte
                | BinOpKind::Gt
                | BinOpKind::Gte
                | BinOpKind::In => self.compare(&operation.left, &operation.right),
                _ => {
                    self.side(condition);
                }
            },
            Expr::Compare(chain) => {
                let mut left = &chain.expr;
                for next in &chain.ops {
                    self.compare(left, &next.expr);
                    left = &next.expr;
                }
            }
            _ => {
                self.side(condition);
            }
        }
    }

    fn compare(&mut self, left: &Expr<'_>, right: &Expr<'_>) {
        let names = |side: Side| match side {
            Side::Constant => Vec::new(),
            Side::Name(name) => vec![name],
            Side::Names(names) => names,
        };
        let (left, right) = (names(self.side(left)), names(self.side(right)));
        for left in &left {
            self.pairs.extend(right.iter().map(|right| [left.clone(), right.clone()]));
        }
    }

    /// Reads what is compared. What is neither a name, nor written down, nor a list of these, is computed.
    fn side(&mut self, side: &Expr<'_>) -> Side {
        match side {
            Expr::Const(constant) => self.constant(&constant.value, 1.0),
            Expr::Var(name) => Side::Name(name.id.to_owned()),
            Expr::GetAttr(attribute) => {
                if let Expr::Var(of) = &attribute.expr {
                    let name = format!("{}.{}", of.id, attribute.name);
                    self.members.push(name.clone());
                    return Side::Name(name);
                }
                self.computes = true;
                Side::Constant
            }
            Expr::UnaryOp(minus) if matches!(minus.op, UnaryOpKind::Neg) => match &minus.expr {
                Expr::Const(constant) => self.constant(&constant.value, -1.0),
                other => self.computed([other]),
            },
            Expr::List(list) => self.each(&list.items),
            Expr::Tuple(tuple) => self.each(&tuple.items),
            Expr::BinOp(operation) => self.computed([&operation.left, &operation.right]),
            _ => self.computed([]),
        }
    }

    /// Records what is computed, and what is written in it.
    fn computed<'e, 's: 'e>(&mut self, parts: impl IntoIterator<Item = &'e Expr<'s>>) -> Side {
        self.computes = true;
        for part in parts {
            self.side(part);
        }
        Side::Constant
    }

    fn each(&mut self, elements: &[Expr<'_>]) -> Side {
        let mut names = Vec::new();
        for element in elements {
            match self.side(element) {
                Side::Constant => {}
                Side::Name(name) => names.push(name),
                Side::Names(more) => names.extend(more),
            }
        }
        Side::Names(names)
    }

    fn constant(&mut self, value: &minijinja::Value, sign: f64) -> Side {
        match value.kind() {
            ValueKind::Number => self.numbers.extend(f64::try_from(value.clone()).ok().map(|one| sign * one)),
            ValueKind::String => self.texts.extend(value.as_str().map(str::to_owned)),
            ValueKind::Seq => {
                for element in value.try_iter().into_iter().flatten() {
                    self.constant(&element, sign);
                }
            }
            _ => {}
        }
        Side::Constant
    }
}

#[cfg(test)]
mod tests {
    use super::Comparisons;
    use minijinja::machinery::parse_expr;

    fn read(condition: &str) -> Comparisons {
        Comparisons::of(&parse_expr(condition).unwrap())
    }

    #[test]
    fn what_is_compared_with_constants_computes_nothing() {
        let read =
            read("passed and not (q < 0.9 or -0.5 <= s < 1) or issues.critical > 2 and status in ['a', 'b']");
        assert_eq!(read.numbers, [0.9, -0.5, 1.0, 2.0]);
        assert_eq!(read.texts, ["a", "b"]);
        assert_eq!(read.members, ["issues.critical"]);
        assert_eq!((read.pairs.len(), read.computes), (0, false));
    }

    #[test]
    fn names_that_are_compared_with_each_other_are_pairs() {
        let pair = |a: &str, b: &str| [a.to_owned(), b.to_owned()];
        assert_eq!(read("returned >= best_seen").pairs, [pair("returned", "best_seen")]);
        assert_eq!(read("a < b < c").pairs, [pair("a", "b"), pair("b", "c")]);
        assert_eq!(read("q in [s, 0.5, t.u]").pairs, [pair("q", "s"), pair("q", "t.u")]);
        assert!(!read("a < b").computes);
    }

    #[test]
    fn what_is_computed_is_seen_with_its_numbers() {
        for computing in
            ["q * 0.5 < 0.3", "q - s > 0", "-q < 0", "q | abs > 0.3", "max(q, s) > 0.3", "q is odd"]
        {
            assert!(read(computing).computes, "{computing}");
        }
        assert_eq!(read("q * 0.5 < 0.3").numbers, [0.5, 0.3]);
    }
}
