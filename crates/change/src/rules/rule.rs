//! The rules by name: what each says, how sure it is, and whose compilers hold to it.

use std::fmt;

macro_rules! rules {
    ($($(#[doc = $paper:literal])? $rule:ident $name:literal, $prior:literal, [$($language:literal)*], $sentence:literal;)*) => {
        /// A law of programs that couples changes.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Rule {
            $(#[doc = $sentence] $(#[doc = ""] #[doc = $paper])? $rule,)*
        }

        impl Rule {
            /// All rules.
            pub const ALL: &'static [Rule] = &[$(Rule::$rule,)*];

            /// Its name.
            pub fn name(self) -> &'static str {
                match self { $(Rule::$rule => $name,)* }
            }

            /// What it says.
            pub fn sentence(self) -> &'static str {
                match self { $(Rule::$rule => $sentence,)* }
            }

            /// How likely a coupling that follows from it holds.
            pub fn prior(self) -> f64 {
                match self { $(Rule::$rule => $prior,)* }
            }

            /// The languages whose compilers or interpreters hold to it; none stands for all.
            pub fn languages(self) -> &'static [&'static str] {
                match self { $(Rule::$rule => &[$($language,)*],)* }
            }
        }
    };
}

rules! {
    // What belongs together in the text.
    Brackets "brackets", 0.98, [],
        "An opening bracket and its closing one come and go together.";
    Quoted "quoted", 0.98, [],
        "A text in quotes and a comment have a beginning and an end, and what is between needs them.";
    Whole "whole", 0.95, [],
        "The parts of a statement or declaration that is put in or taken away whole come and go together.";
    /// DDJ's DR1.
    Enclosed "enclosed", 0.95, [],
        "A statement or member needs the declaration around it, and in Python the block.";
    Suite "suite", 0.8, ["python"],
        "A block that is told by indentation is not empty.";
    TryClause "try-clause", 0.8, ["java" "javascript" "typescript" "python"],
        "A `try` has a `catch` or a `finally`.";

    Else "else", 0.95, [],
        "An `else` has an `if`, and what that does.";

    // Names and what they stand for.
    /// DDJ's DR4, DR5 and UR1: what is used is declared, so a declaration goes after its uses and changes with them.
    Declared "declared", 0.92, [],
        "A name that is used is declared or imported in reach.";
    TypeDeclared "type-declared", 0.92, [],
        "A type that is named is declared or imported in reach.";
    Member "member", 0.85, [],
        "A member that is used is declared in some class.";
    /// DDJ's UR4.
    Call "call", 0.9, ["java" "c" "cpp" "python" "typescript" "rust" "go"],
        "A call has a function of that name that takes as many arguments.";
    Imported "imported", 0.92, ["java" "python" "javascript" "typescript" "rust"],
        "What is imported is declared where it is imported from.";
    ImportedFile "imported-file", 0.92, ["c" "cpp" "python" "javascript" "typescript" "rust"],
        "A file that is imported or included is there.";
    Once "once", 0.8, ["java" "c" "cpp" "typescript" "rust" "go"],
        "A name is declared once in its scope.";
    Case "case", 0.8, ["java" "c" "cpp" "go"],
        "A switch has each label once.";
    Label "label", 0.92, [],
        "A jump to a label has the label.";
    Used "used", 0.9, ["go"],
        "What is imported, and a local variable, is used.";
    Prototype "prototype", 0.85, ["c" "cpp"],
        "A function takes as many parameters as its prototype says.";
    InClass "in-class", 0.9, ["cpp"],
        "A member that is defined outside its class is declared in it.";

    // Classes.
    Inherits "inherits", 0.8, ["java" "cpp" "typescript"],
        "A member that is used without an object and inherited needs the supertype it is inherited from.";
    /// DDJ's DR3.
    Implemented "implemented", 0.9, ["java" "typescript" "rust"],
        "An abstract method is implemented in each concrete subclass.";
    Overrides "overrides", 0.9, ["java" "typescript" "cpp" "rust"],
        "What says that it overrides a method, or stands where a trait is implemented, has one to override.";
    AbstractClass "abstract-class", 0.9, ["java" "typescript"],
        "A class with an abstract method is abstract.";
    Instantiated "instantiated", 0.85, ["java" "typescript"],
        "An abstract class is not instantiated.";
    /// DDJ's UR6.
    Body "body", 0.95, ["java"],
        "A method is abstract or has a body.";
    FinalMethod "final-method", 0.85, ["java"],
        "A final method is not overridden, a final class not extended.";
    Visible "visible", 0.85, ["java"],
        "A method is as visible as the one that it overrides.";
    Constructor "constructor", 0.75, ["java"],
        "Where a superclass has no constructor without arguments, a constructor calls another.";

    // Modifiers.
    Final "final", 0.85, ["java"],
        "A final variable with a value is not assigned.";
    Static "static", 0.8, ["java"],
        "A member that is used in a static method without an object is static.";
    Private "private", 0.7, ["java"],
        "A private member is not used outside its class.";

    // Values and their types.
    /// DDJ's UR2.
    ReturnValue "return-value", 0.85, ["java" "c" "cpp" "go"],
        "A method returns values if its type is not void.";
    Ends "ends", 0.75, ["java" "go"],
        "A method whose type is not void ends with a return or a jump.";
    Unreachable "unreachable", 0.9, ["java"],
        "Nothing follows a jump in its block.";
    /// DDJ's DR2.
    Initialized "initialized", 0.75, ["java" "rust"],
        "A local variable that is read was assigned before.";
    Agree "agree", 0.7, ["java" "c" "cpp" "go" "rust" "typescript"],
        "A value keeps its type on its way: from a method to a variable, from a variable to a parameter or result.";
    Retyped "retyped", 0.85, ["java" "c" "cpp" "go" "rust" "typescript"],
        "A declaration changes together with its uses, where nearly all of them change.";
    Unpacked "unpacked", 0.85, ["python" "go" "rust"],
        "A value is taken apart in as many parts as it has.";
    AllFields "all-fields", 0.9, ["rust"],
        "A struct that is made names all its fields.";
    AllVariants "all-variants", 0.8, ["rust"],
        "A match without a catch-all has an arm for each variant.";

    // Exceptions.
    /// DDJ's UR3.
    Throws "throws", 0.8, ["java"],
        "An exception that is thrown is caught, or declared by the method.";
    /// DDJ's UR5.
    OverrideThrows "override-throws", 0.8, ["java"],
        "A method throws what the method that it overrides throws.";
    Caught "caught", 0.65, ["java"],
        "An exception that is caught is thrown.";

    // Jumps.
    /// DDJ's DR6.
    Loop "loop", 0.95, [],
        "A `break` or `continue` is in a loop or switch.";

    // What is one to those who wrote it.
    Refactored "refactored", 0.55, [],
        "The changes of a refactoring belong together.";

    // Files.
    FileName "file-name", 0.9, ["java"],
        "A public class stands in a file of its name.";
    Package "package", 0.9, ["java"],
        "A file lies in the folder of its package.";
}

impl Rule {
    /// Whether a language's compilers or interpreters hold to the rule.
    pub fn is_law_of(self, language: &str) -> bool {
        let language = if language == "tsx" { "typescript" } else { language };
        self.languages().is_empty() || self.languages().contains(&language)
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
