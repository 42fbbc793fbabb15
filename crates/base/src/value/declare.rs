//! One declaration for a mapping of our YAML: [`mapping!`](crate::mapping) over a struct.
//!
//! The comments on the struct and its fields are what schemas and reference pages say; `#[key(…)]` gives the rest with the
//! methods of [`Key`]: `required`, `default("10")`, `examples(&["5"])`, bounds such as `whole(0, 20)` or
//! `number(0.0, 1.0)`, and `text("a file under `prompts/`")`. From that come the struct, its decoder (all problems
//! collected, `null` as absent, unknown keys guessed at), its defaults, its schema and its reference page.
//!
//! ```text
//! mapping! {
//!     /// How often something is tried.
//!     "tries" is "set of tries", expects "a mapping such as `{ most: 3 }`", all default;
//!     #[derive(Debug, Clone, PartialEq)]
//!     pub struct Tries {
//!         /// The most tries: 1 to 10.
//!         #[key(whole(1, 10), default("3"), examples(&["5"]))]
//!         pub most: u64,
//!         /// The time between two tries. Without it there is none.
//!         #[key(examples(&["5s"]))]
//!         pub pause: Option<Millis>,
//!     }
//! }
//! ```
//!
//! After the mapping's name and what messages call it may follow, in this order:
//! - `expects "…"`: what a correct value looks like; implements `Decode`. Without it the type reads what else it may be
//!   itself, and mappings with `read_mapping`.
//! - `checked by FUNCTION`: `fn(&Self, &Fields, &mut Problems)`, which says what is wrong between keys.
//! - `all default`: implements `Default`, by the declared defaults; `all default or off`, where all are `true` or `false`:
//!   also the constant `OFF`.
//!
//! A field may say how it is read, and from what: `field: Type as Written = FUNCTION => INSTEAD`, each part optional.
//! - `as Written`: another type whose shape appears in schemas, for types that are not read by themselves;
//! - `= FUNCTION`: `fn(&Node, &mut Problems) -> Option<Type>`;
//! - `=> INSTEAD`: `fn(&Fields) -> Type`, what it is where it is missing or wrong and no default is declared.
//!
//! `#[key(flatten)]` marks a field of a type that is declared in the same way, whose keys appear among these (with
//! `as`, the function is `fn(Written, &mut Problems) -> Option<Type>`); `#[key(skip)]` marks one that is not a key: its
//! function is `fn(&mut Fields, &mut Problems) -> Option<Type>`. A mapping with keys that people choose says so
//! (`open OPEN`), and such a field reads them.

use super::decode::Decode;
use super::shape::Key;
use super::yaml::{Node, parse};
use crate::diag::{Problems, SourceFile};

/// The name of the source of declared defaults in locations.
pub const DEFAULTS_NAME: &str = "<defaults>";

/// A comment as a text: its lines begin with a space each.
#[doc(hidden)]
#[must_use]
pub const fn sentences(comment: &'static str) -> &'static str {
    comment.trim_ascii()
}

/// A value that a declaration writes in YAML.
#[must_use]
pub fn written(yaml: &str) -> Option<Node> {
    parse(&SourceFile::new(DEFAULTS_NAME, yaml), &mut Problems::new())
}

/// The declared default of a key, read as its values are.
#[doc(hidden)]
pub fn usual<T>(key: &Key, read: impl Fn(&Node, &mut Problems) -> Option<T>) -> Option<T> {
    read(&written(key.default?)?, &mut Problems::new())
}

/// A type that a field of a declared struct may have: a value, or a value that need not be there.
#[doc(hidden)]
pub trait Field: Sized {
    /// The type that its YAML is read as.
    type Value: Decode;

    /// The value if there is none in the YAML.
    fn absent() -> Option<Self>;

    /// Reads it.
    fn read(node: &Node, problems: &mut Problems) -> Option<Self>;
}

impl<T: Decode> Field for T {
    type Value = T;

    fn absent() -> Option<Self> {
        None
    }

    fn read(node: &Node, problems: &mut Problems) -> Option<Self> {
        T::decode(node, problems)
    }
}

impl<T: Decode> Field for Option<T> {
    type Value = T;

    fn absent() -> Option<Self> {
        Some(None)
    }

    fn read(node: &Node, problems: &mut Problems) -> Option<Self> {
        T::decode(node, problems).map(Some)
    }
}

/// The number of keys in several groups.
#[doc(hidden)]
#[must_use]
pub const fn number_of(groups: &[&[Key]]) -> usize {
    let (mut number, mut rest) = (0, groups);
    while let [group, others @ ..] = rest {
        number += group.len();
        rest = others;
    }
    number
}

/// The keys of several groups, one after the other.
#[doc(hidden)]
#[must_use]
pub const fn all_of<const N: usize>(groups: &[&[Key]]) -> [Key; N] {
    let mut keys = [Key::new("", bool::shape, ""); N];
    let (mut left, mut rest): (&mut [Key], _) = (&mut keys, groups);
    while let [group, others @ ..] = rest {
        let (these, later) = left.split_at_mut(group.len());
        these.copy_from_slice(group);
        left = later;
        rest = others;
    }
    keys
}

/// Declares a mapping of our YAML and the struct that is read from it. See [the module](crate::value::declare).
#[macro_export]
macro_rules! mapping {
    (
        $(#[doc = $doc:literal])+
        $name:literal is $what:literal
            $(, expects $expected:expr)?
            $(, checked by $check:path)?
            $(, open $open:expr)?
            $(, all $($default:ident)+)?;
        $(#[$meta:meta])*
        $vis:vis struct $Type:ident {
            $(
                $(#[doc = $field_doc:literal])+
                #[key($($option:tt)*)]
                $field_vis:vis $field:ident: $ty:ty $(as $written:ty)? $(= $read:expr)? $(=> $instead:expr)?
            ),* $(,)?
        }
    ) => {
        $(#[doc = $doc])+
        $(#[$meta])*
        $vis struct $Type {
            $($(#[doc = $field_doc])+ $field_vis $field: $ty,)*
        }

        impl $Type {
            /// Its declaration.
            #[must_use]
            $vis const fn mapping() -> &'static $crate::value::shape::Mapping {
                static MAPPING: $crate::value::shape::Mapping = $crate::value::shape::Mapping {
                    name: $name,
                    what: $what,
                    doc: $crate::value::declare::sentences(concat!($($doc),+)),
                    keys: $Type::groups(),
                    open: $crate::open_part!($($open)?),
                };
                &MAPPING
            }

            /// Its own keys, for mappings that have them, too.
            #[must_use]
            $vis const fn keys() -> &'static [$crate::value::shape::Key] {
                static KEYS: [$crate::value::shape::Key; $crate::value::declare::number_of($Type::groups())] =
                    $crate::value::declare::all_of($Type::groups());
                &KEYS
            }

            /// Like [`Self::keys`], with each field's in a group.
            const fn groups() -> &'static [&'static [$crate::value::shape::Key]] {
                const GROUPS: &[&[$crate::value::shape::Key]] =
                    &[$($crate::key_group!($field: $ty $(as $written)?, [$($field_doc),+] $($option)*)),*];
                GROUPS
            }

            /// Reads its keys among those of a mapping. `None` if one that has no default is missing or wrong.
            $vis fn read_keys(
                fields: &mut $crate::value::decode::Fields<'_>,
                problems: &mut $crate::diag::Problems,
            ) -> Option<Self> {
                $(
                    let $field: Option<$ty> = $crate::read_field!(
                        [fields, problems] $field: $ty $(as $written)? $(= $read)?, [$($field_doc),+] $($option)*
                    );
                    $(let $field = $field.or_else(|| Some(($instead)(&*fields)));)?
                )*
                Some(Self { $($field: $field?,)* })
            }

            /// Reads a mapping of it.
            $vis fn read_mapping(
                node: &$crate::value::yaml::Node,
                problems: &mut $crate::diag::Problems,
            ) -> Option<Self> {
                let mut fields = $crate::value::decode::Fields::open(node, Self::mapping(), problems)?;
                let read = Self::read_keys(&mut fields, problems);
                $(
                    if let Some(read) = &read {
                        $check(read, &fields, problems);
                    }
                )?
                fields.finish(problems);
                read
            }
        }

        // A type whose keys appear among others' is not read by itself, and most are read by themselves.
        const _: (
            fn() -> &'static [$crate::value::shape::Key],
            fn(&$crate::value::yaml::Node, &mut $crate::diag::Problems) -> Option<$Type>,
        ) = ($Type::keys, $Type::read_mapping);

        $(
            impl $crate::value::decode::Decode for $Type {
                const EXPECTED: &'static str = $expected;

                fn shape() -> $crate::value::shape::Shape {
                    $crate::value::shape::Shape::Mapping(Self::mapping())
                }

                fn decode(
                    node: &$crate::value::yaml::Node,
                    problems: &mut $crate::diag::Problems,
                ) -> Option<Self> {
                    Self::read_mapping(node, problems)
                }
            }
        )?

        $crate::all_default!([$($($default)+)?] $Type { $($field)* });
    };
}

/// The declaration of what is under other keys.
#[macro_export]
macro_rules! open_part {
    () => {
        None
    };
    ($open:expr) => {
        Some($open)
    };
}

/// The keys that a field represents.
#[macro_export]
macro_rules! key_group {
    ($field:ident: $ty:ty, [$($doc:literal),+] flatten) => {
        <$ty>::keys()
    };
    ($field:ident: $ty:ty as $written:ty, [$($doc:literal),+] flatten) => {
        <$written>::keys()
    };
    ($field:ident: $ty:ty, [$($doc:literal),+] skip) => {
        &[]
    };
    ($field:ident: $ty:ty as $written:ty, [$($doc:literal),+] $($option:tt)*) => {
        &[$crate::key!($field: $written, [$($doc),+] $($option)*)]
    };
    ($field:ident: $ty:ty, [$($doc:literal),+] $($option:tt)*) => {
        &[$crate::key!($field: $ty, [$($doc),+] $($option)*)]
    };
}

/// The declaration of one key.
#[macro_export]
macro_rules! key {
    ($field:ident: $ty:ty, [$($doc:literal),+] $($option:ident $(($($argument:expr),* $(,)?))?),* $(,)?) => {
        $crate::value::shape::Key::new(
            stringify!($field),
            <<$ty as $crate::value::declare::Field>::Value as $crate::value::decode::Decode>::shape,
            $crate::value::declare::sentences(concat!($($doc),+)),
        )
        $(.$option($($($argument),*)?))*
    };
}

/// Reads one field.
#[macro_export]
macro_rules! read_field {
    ([$fields:ident, $problems:ident] $field:ident: $ty:ty, [$($doc:literal),+] flatten) => {
        <$ty>::read_keys($fields, $problems)
    };
    ([$fields:ident, $problems:ident] $field:ident: $ty:ty as $written:ty = $of:expr, [$($doc:literal),+] flatten) => {
        <$written>::read_keys($fields, $problems).and_then(|written| ($of)(written, $problems))
    };
    ([$fields:ident, $problems:ident] $field:ident: $ty:ty = $read:expr, [$($doc:literal),+] skip) => {
        ($read)(&mut *$fields, &mut *$problems)
    };
    ([$fields:ident, $problems:ident] $field:ident: $ty:ty as $written:ty = $read:expr, [$($doc:literal),+] $($option:tt)*) => {
        $crate::read_key!([$fields, $problems] $field: $ty as $written, $read, || None, [$($doc),+] $($option)*)
    };
    ([$fields:ident, $problems:ident] $field:ident: $ty:ty = $read:expr, [$($doc:literal),+] $($option:tt)*) => {
        $crate::read_key!(
            [$fields, $problems] $field: $ty as $ty, $read, <$ty as $crate::value::declare::Field>::absent,
            [$($doc),+] $($option)*
        )
    };
    ([$fields:ident, $problems:ident] $field:ident: $ty:ty, [$($doc:literal),+] $($option:tt)*) => {
        $crate::read_field!(
            [$fields, $problems] $field: $ty = <$ty as $crate::value::declare::Field>::read, [$($doc),+] $($option)*
        )
    };
}

/// Reads the value of one key.
#[macro_export]
macro_rules! read_key {
    ([$fields:ident, $problems:ident] $field:ident: $ty:ty as $written:ty, $read:expr, $absent:expr, [$($doc:literal),+] $($option:tt)*) => {{
        static KEY: $crate::value::shape::Key = $crate::key!($field: $written, [$($doc),+] $($option)*);
        let usual = || $crate::value::declare::usual::<$ty>(&KEY, $read).or_else($absent);
        $fields.declared(
            &KEY,
            $read,
            usual,
            <<$written as $crate::value::declare::Field>::Value as $crate::value::decode::Decode>::EXPECTED,
            $problems,
        )
    }};
}

/// A struct of declared defaults, and one of switches that are all off.
#[macro_export]
macro_rules! all_default {
    ([] $Type:ident { $($field:ident)* }) => {};
    ([default or off] $Type:ident { $($field:ident)* }) => {
        $crate::all_default!([default] $Type { $($field)* });

        impl $Type {
            /// Nothing of it.
            pub const OFF: Self = Self { $($field: false),* };
        }
    };
    ([default] $Type:ident { $($field:ident)* }) => {
        impl Default for $Type {
            /// The values that are declared to hold without a word.
            // Declared defaults are values of their keys, as a test of all of them shows.
            fn default() -> Self {
                static USUAL: std::sync::LazyLock<Option<$Type>> = std::sync::LazyLock::new(|| {
                    let nothing = $crate::value::declare::written("{}")?;
                    $Type::read_mapping(&nothing, &mut $crate::diag::Problems::new())
                });
                USUAL.clone().expect("every key has a default")
            }
        }
    };
}

pub use {all_default, key, key_group, mapping, open_part, read_field, read_key};

#[cfg(test)]
mod tests {
    use crate::value::Millis;

    mapping! {
        /// The number of times that something is tried.
        "tries" is "set of tries", expects "a mapping such as `{ most: 3 }`", all default;
        #[derive(Debug, Clone, PartialEq)]
        struct Tries {
            /// The most tries: 1 to 10.
            #[key(whole(1, 10), default("3"), examples(&["5"]))]
            most: u64,
            /// The time between two tries. Without it there is none.
            #[key(examples(&["5s"]))]
            pause: Option<Millis>,
        }
    }

    #[test]
    fn a_declaration_has_defaults_and_documents_its_keys() {
        assert_eq!(Tries::default(), Tries { most: 3, pause: None });
        assert_eq!(Tries::mapping().key("most").unwrap().doc, "The most tries: 1 to 10.");
    }
}
