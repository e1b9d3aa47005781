//! The rules as a logic program: from facts to what cannot be without what.
//!
//! Each rule reads like its sentence. `meets(rule, topic, a, b, c)` says that where `a` and `b` are, `c` is what the
//! rule asks for; all such `c` are alternatives. `clash(rule, topic, a, b)` says that `a` and `b` exclude each other.
//! The topic is the name that the rule speaks of: if the rule fails for it in one of the versions, it is defined where
//! we do not look. Facts of both versions are joined: a use that stays may be met by a definition of either.
//!
//! Why Datalog? Subclasses and scopes are closures, most rules are joins, and written so a rule can be compared with
//! its sentence. The indices that make joins fast are made by the macro.

// What the macro writes is not ours to tidy.
#![allow(clippy::all, unused_qualifications, missing_docs)]

use super::fact::{Fact, Name};
use super::grammar::Entity;
use super::rule::Rule;
use ascent::ascent;

/// A place where names are declared: a function, a class, a file, a package.
pub(super) type Scope = Name;

ascent! {
    /// Facts in, demands out.
    pub(super) struct Laws;

    // Scopes and names.
    relation inside(Scope, Scope);
    relation defines(Fact, Entity, Name, Scope);
    relation member(Fact, Name);
    relation takes(Fact, Name, Scope, u32, u32);
    relation uses(Fact, Rule, Name, Scope);
    relation uses_member(Fact, Name);
    relation calls(Fact, Name, Scope, u32);
    relation calls_member(Fact, Name, u32);
    relation imports(Fact, Name, Scope, Name, Name);
    relation module(Scope, Name);
    relation imports_file(Fact, Name);
    relation file(Fact, Name);
    relation must_use(Fact, Name, Scope);
    relation unique(Rule, Fact, Name, Scope);
    relation prototype(Fact, Name, u32, u32);
    relation definition(Fact, Name, u32, u32);
    relation outside(Fact, Name, Scope);

    // Classes and methods; a number is how many parameters.
    relation extends(Fact, Scope, Scope);
    relation concrete(Scope);
    relation interface(Scope);
    relation abstracts(Fact, Name, Scope, u32);
    relation implements(Fact, Name, Scope, u32);
    relation says_override(Fact, Name, Scope, u32);
    relation final_method(Fact, Name, Scope, u32);
    relation public_method(Fact, Name, Scope, u32);
    relation final_class(Fact, Scope);
    relation abstract_class(Fact, Scope);
    relation abstract_member(Fact, Scope);
    relation creates(Fact, Scope);
    relation constructs(Fact, Scope, u32);
    relation constructs_silently(Fact, Scope);
    relation abstract_method(Fact, Fact);
    relation body(Fact, Fact);
    relation bodiless(Fact, Fact);

    // Modifiers of variables.
    relation sealed(Fact, Name, Scope);
    relation assigns(Fact, Name, Scope);
    relation static_of(Fact, Fact);
    relation static_scope(Scope);
    relation private_of(Fact, Name, Scope);
    relation uses_from(Fact, Name, Scope);

    // Values.
    relation returns(Fact, Scope, bool);
    relation result(Fact, Scope, bool);
    relation ends(Fact, Scope);
    relation jump(Fact, Fact, u64);
    relation statement(Fact, Fact, u64);
    relation bare(Fact, Name, Scope);
    relation reads(Fact, Name, Scope);
    relation declared_as(Fact, Name, Name, Scope);
    relation result_type(Fact, Name, Name, Scope, u32);
    relation takes_type(Fact, Name, Name, u32, u32);
    relation filled_by_call(Fact, Name, Name);
    relation returns_variable(Fact, Name, Scope);
    relation own_result(Fact, Name, Scope);
    relation passes(Fact, Name, u32, u32, Name, Scope);
    relation unpacks(Fact, Name, u32);
    relation gives(Fact, Name, u32);
    relation mismatch(Fact, Fact, Name);
    relation part(Rule, Fact, Name, Name);
    relation spelled(Rule, Fact, Name);
    relation spells(Fact, Name, Fact);

    // Exceptions.
    relation thrown(Fact, Name, Scope);
    relation throws(Fact, Name, Scope);
    relation caught(Fact, Fact, Name);
    relation calls_in(Fact, Name, Scope, u32);
    relation function(Scope, Name, Scope, u32, u32);

    // Files.
    relation public_type(Fact, Name);
    relation packaged(Fact, Scope, Name);
    relation lies_in(Fact, Scope, Name);

    // What the text itself tells; a name stands for the place of what a change replaces by its like.
    relation needs(Rule, Fact, Fact);
    relation other_case(Fact, Fact);
    relation enclosed(Fact, Fact);
    relation brackets(Fact, Fact);
    relation closed_by(Fact, Fact);
    relation opened_by(Fact, Fact);
    relation replaced(Fact, Name);
    relation always(Fact);

    relation meets(Rule, Name, Fact, Fact, Fact);
    relation clash(Rule, Name, Fact, Fact);

    meets(rule, NOTHING, a, a, b) <-- needs(rule, a, b);

    // An `else` follows a first case, in whichever wording.
    meets(Rule::Else, FIRST_CASE, e, e, first) <-- other_case(e, first);
    meets(Rule::Else, FIRST_CASE, e, e, other) <-- other_case(e, first), replaced(first, p), replaced(other, p);

    // A statement or member needs the declaration around it, in whichever wording.
    meets(Rule::Enclosed, NOTHING, a, a, b) <-- enclosed(a, b);
    meets(Rule::Enclosed, NOTHING, a, a, other) <-- enclosed(a, b), replaced(b, p), replaced(other, p);

    // An opening bracket and its closing one come and go together, ...
    meets(Rule::Brackets, NOTHING, a, a, b) <-- closed_by(a, b);
    meets(Rule::Brackets, NOTHING, b, b, a) <-- opened_by(b, a);
    // ... or with that in its place. Of what closes the one and what closes the other, one is there.
    meets(Rule::Brackets, NOTHING, b, b, other) <-- brackets(a, b), replaced(a, p), replaced(other, p);
    meets(Rule::Brackets, NOTHING, a, a, other) <-- brackets(a, b), replaced(b, p), replaced(other, p);
    relation same_end(Name, Fact, Fact);
    same_end(p, b, d) <-- brackets(a, b), replaced(a, p), replaced(c, p), if a != c, brackets(c, d), if b != d;
    same_end(p, a, c) <-- brackets(a, b), replaced(b, p), replaced(d, p), if b != d, brackets(c, d), if a != c;
    meets(Rule::Brackets, NOTHING, a, a, d) <-- brackets(a, b), same_end(_, b, d);
    meets(Rule::Brackets, NOTHING, b, b, c) <-- brackets(a, b), same_end(_, a, c);
    meets(Rule::Brackets, p, w, w, a) <-- always(w), same_end(p, a, _);
    clash(Rule::Brackets, p, a, b) <-- same_end(p, a, b), if a < b;

    relation reach(Scope, Scope);
    reach(s, s) <-- inside(s, _);
    reach(s, outer) <-- inside(s, outer);
    reach(s, outer) <-- reach(s, t), inside(t, outer);
    reach(s, sup) <-- reach(s, class), extends(_, class, sup);

    /// A class is below all its supertypes, because of one of the supertypes that it names itself.
    relation below(Fact, Scope, Scope);
    below(e, class, sup) <-- extends(e, class, sup);
    below(e, class, top) <-- below(e, class, sup), extends(_, sup, top);

    // A name that is used is declared or imported in reach.
    meets(rule, n, u, u, d) <-- uses(u, rule, n, s), reach(s, o), defines(d, _, n, o);

    // A member that is used is declared in some class.
    meets(Rule::Member, n, u, u, d) <-- uses_member(u, n), member(d, n);

    // A call has a function of that name that takes as many arguments.
    meets(Rule::Call, n, u, u, d) <-- calls(u, n, s, k), reach(s, o), takes(d, n, o, lo, hi), if lo <= k && k <= hi;
    meets(Rule::Call, n, u, u, d) <-- calls_member(u, n, k), takes(d, n, _, lo, hi), if lo <= k && k <= hi;
    meets(Rule::Call, n, u, i, d) <--
        calls(u, n, s, k), reach(s, f), imports(i, n, f, t, m), module(o, m), takes(d, t, o, lo, hi),
        if lo <= k && k <= hi;

    // What is imported is declared where it is imported from; a file that is imported is there.
    meets(Rule::Imported, t, i, i, d) <-- imports(i, _, _, t, m), module(o, m), defines(d, _, t, o);
    meets(Rule::ImportedFile, m, i, i, f) <-- imports_file(i, m), file(f, m);

    // A name is declared once in its scope.
    clash(rule, n, a, b) <-- unique(rule, a, n, s), unique(rule, b, n, s), if a < b;

    // What is imported, and a local variable, is used.
    meets(Rule::Used, n, d, d, u) <-- must_use(d, n, s), uses(u, _, n, t), reach(t, s);

    // A function takes as many parameters as its prototype says.
    meets(Rule::Prototype, n, p, p, d) <-- prototype(p, n, lo, hi), definition(d, n, lo, hi);
    meets(Rule::Prototype, n, d, d, p) <-- definition(d, n, lo, hi), prototype(p, n, lo, hi);

    // A member that is defined outside its class is declared in it.
    meets(Rule::InClass, n, a, a, b) <-- outside(a, n, class), defines(b, _, n, class), if a != b;

    // An inherited member that is used without an object needs the supertype.
    relation inherited(Fact, Name, Fact, Fact, Scope);
    inherited(u, n, d, e, s) <--
        uses(u, Rule::Declared, n, s), reach(s, class), extends(e, class, sup), defines(d, _, n, sup);
    meets(Rule::Inherits, n, u, d, e) <-- inherited(u, n, d, e, _);
    meets(Rule::Inherits, n, u, d, other) <--
        inherited(u, n, d, _, s), inside_of(s, o), defines(other, _, n, o), if other != d;

    /// Scopes around a scope, without what is inherited.
    relation inside_of(Scope, Scope);
    inside_of(s, s) <-- inside(s, _);
    inside_of(s, o) <-- inside_of(s, t), inside(t, o);

    // An abstract method is implemented in each concrete subclass.
    meets(Rule::Implemented, n, m, e, i) <--
        abstracts(m, n, sup, k), below(e, class, sup), concrete(class), implements(i, n, class, k);
    meets(Rule::Implemented, n, m, e, i) <--
        abstracts(m, n, sup, k), below(e, class, sup), concrete(class), below(_, class, other),
        implements(i, n, other, k);

    /// A method of a class that overrides one of a supertype.
    relation overrides(Fact, Fact, Name, Scope, Scope, u32);
    overrides(i, m, n, class, sup, k) <--
        implements(i, n, class, k), below(_, class, sup), abstracts(m, n, sup, k);
    overrides(i, m, n, class, sup, k) <--
        implements(i, n, class, k), below(_, class, sup), implements(m, n, sup, k);

    // What says that it overrides a method has one to override.
    relation overridable(Fact, Fact, Fact, Name);
    overridable(o, m, e, n) <-- says_override(o, n, class, k), below(e, class, sup), abstracts(m, n, sup, k);
    overridable(o, m, e, n) <-- says_override(o, n, class, k), below(e, class, sup), implements(m, n, sup, k);
    meets(Rule::Overrides, n, o, o, m) <-- overridable(o, m, _, n);
    meets(Rule::Overrides, n, o, m, e) <-- overridable(o, m, e, n);

    // A class with an abstract method is abstract, and is not instantiated.
    meets(Rule::AbstractClass, class, m, m, a) <-- abstract_member(m, class), abstract_class(a, class);
    clash(Rule::Instantiated, class, a, u) <-- abstract_class(a, class), creates(u, class);

    // A method is abstract or has a body.
    clash(Rule::Body, NOTHING, a, b) <-- abstract_method(a, m), body(b, m);
    meets(Rule::Body, NOTHING, s, s, a) <-- bodiless(s, m), abstract_method(a, m);

    // A final method is not overridden, a final class not extended.
    clash(Rule::FinalMethod, n, f, i) <--
        final_method(f, n, sup, k), below(_, class, sup), implements(i, n, class, k);
    clash(Rule::FinalMethod, class, f, e) <-- final_class(f, class), extends(e, _, class);

    // A method is as visible as the one that it overrides.
    meets(Rule::Visible, n, p, i, q) <--
        public_method(p, n, sup, k), overrides(i, _, n, class, sup, k), public_method(q, n, class, k);
    meets(Rule::Visible, n, m, i, q) <--
        interface(sup), overrides(i, m, n, class, sup, k), public_method(q, n, class, k);

    // Where a superclass has no constructor without arguments, a constructor calls another.
    clash(Rule::Constructor, sup, c, s) <--
        constructs(c, sup, k), if *k > 0, constructs_silently(s, class), extends(_, class, sup),
        !constructs(_, sup, 0);
    meets(Rule::Constructor, sup, c, s, d) <--
        constructs(c, sup, k), if *k > 0, constructs_silently(s, class), extends(_, class, sup),
        constructs(d, sup, 0);

    // A final variable with a value is not assigned.
    clash(Rule::Final, n, f, a) <-- sealed(f, n, s), assigns(a, n, t), reach(t, s);

    // A member that is used in a static method without an object is static, or a local variable.
    relation static_use(Fact, Fact, Name, Scope);
    static_use(u, d, n, s) <--
        uses(u, Rule::Declared, n, s), static_scope(s), reach(s, class), defines(d, _, n, class), member(d, n);
    meets(Rule::Static, n, u, d, m) <-- static_use(u, d, n, _), static_of(m, d);
    clash(Rule::Static, n, u, d) <-- static_use(u, d, n, _), !static_of(_, d);
    meets(Rule::Static, n, u, d, v) <-- static_use(u, d, n, s), defines(v, _, n, s);

    // A private member is not used outside its class.
    clash(Rule::Private, n, p, u) <-- private_of(p, n, class), uses_from(u, n, other), if class != other;

    // A method returns values if its type is not void, and ends with a return or a jump.
    meets(Rule::ReturnValue, s, r, r, t) <-- returns(r, s, value), result(t, s, value);
    meets(Rule::Ends, s, t, t, e) <-- result(t, s, true), ends(e, s);

    // Nothing follows a jump in its block.
    clash(Rule::Unreachable, NOTHING, j, s) <-- jump(j, block, p), statement(s, block, q), if p < q;

    // A local variable that is read was assigned before.
    meets(Rule::Initialized, n, u, d, a) <-- bare(d, n, s), reads(u, n, s), assigns(a, n, s);

    // A value keeps its type on its way.
    meets(Rule::Agree, m, v, v, r) <-- filled_by_call(v, t, m), result_type(r, t, m, _, _);
    meets(Rule::Agree, x, v, u, r) <-- returns_variable(u, x, s), declared_as(v, t, x, s), own_result(r, t, s);
    meets(Rule::Agree, x, v, u, p) <-- passes(u, m, k, i, x, s), declared_as(v, t, x, s), takes_type(p, t, m, k, i);
    meets(Rule::Agree, n, r, r, q) <--
        result_type(r, t, n, class, k), below(_, class, sup), result_type(q, t, n, sup, k);

    // A declaration and its uses change together.
    clash(Rule::Retyped, n, d, u) <-- mismatch(d, u, n);

    // A value is taken apart in as many parts as it has.
    meets(Rule::Unpacked, f, u, u, r) <-- unpacks(u, f, k), gives(r, f, k);

    // What is made or matched names all its parts.
    meets(rule, n, d, l, i) <-- part(rule, d, n, t), spelled(rule, l, t), spells(i, n, l);

    // An exception that is thrown is caught, or declared by the method.
    meets(Rule::Throws, x, t, t, d) <-- thrown(t, x, s), throws(d, x, s);
    meets(Rule::Throws, x, t, t, c) <-- thrown(t, x, _), caught(t, c, x);
    relation thrown_by_call(Fact, Fact, Name, Scope);
    thrown_by_call(u, y, x, s) <--
        calls_in(u, n, s, k), function(f, n, _, lo, hi), if lo <= k && k <= hi, throws(y, x, f);
    meets(Rule::Throws, x, u, y, d) <-- thrown_by_call(u, y, x, s), throws(d, x, s);
    meets(Rule::Throws, x, u, y, c) <-- thrown_by_call(u, y, x, _), caught(u, c, x);

    // A method throws what the method that it overrides throws.
    meets(Rule::OverrideThrows, x, a, a, b) <--
        throws(a, x, s), function(s, n, class, lo, hi), below(_, class, sup), function(t, n, sup, lo, hi),
        throws(b, x, t);

    // An exception that is caught is thrown.
    meets(Rule::Caught, x, c, c, t) <-- caught(t, c, x), thrown(t, x, _);
    meets(Rule::Caught, x, c, c, y) <-- caught(u, c, x), thrown_by_call(u, y, x, _);

    // A public class stands in a file of its name, a file in the folder of its package.
    meets(Rule::FileName, n, t, t, f) <-- public_type(t, n), file(f, n);
    meets(Rule::Package, n, p, p, f) <-- packaged(p, file, n), lies_in(f, file, n);
}

/// The topic of rules that speak of no name.
pub(super) const NOTHING: Name = Name::MAX;
/// The topic of what an `if` does.
const FIRST_CASE: Name = Name::MAX - 1;
