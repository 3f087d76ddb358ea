//! What the signals of a pair allow to be done with it.

use super::Signals;

/// From this share of its words on a statement was said again.
const ALL: f64 = 0.85;

/// From this weight on a word tells which thing is over.
const OVER: f64 = 0.6;

impl Signals {
    /// Whether the person says what is so now, beside that something turned.
    pub(super) fn is_news(&self) -> bool {
        self.value + self.loose + self.name + self.means + self.rival + self.day > 0.0
    }

    /// Whether anything tells that the person says something else than the statement.
    pub(super) fn differs(&self) -> bool {
        // A number without a unit may count anything: it has to stand among the statement's own words.
        let loose = if self.near >= 0.5 || self.shown + self.counts > 0.0 { self.loose } else { 0.0 };
        let values =
            self.value + loose + self.rival + self.day + self.gone + self.owner + self.lifted + self.named;
        // Who says all of the statement again says nothing else; only a value, a name or an end would be news.
        let turned = if self.own >= ALL { 0.0 } else { (self.change + self.lately) * (1.0 - self.same) };
        values + self.name + self.removal + turned + self.over() + self.shown_other > 0.0
    }

    /// Whether the person says that what the statement speaks of is over.
    fn over(&self) -> f64 {
        if self.left >= OVER { self.left } else { 0.0 }
    }

    /// Whether the person only reports that something goes wrong: what it says may hold for this once.
    pub(super) fn is_report(&self) -> bool {
        let turn = self.change + self.lately + self.removal + self.denial + self.decision + self.rule;
        self.problem > 0.0 && turn + self.gone + self.shown == 0.0
    }

    /// Whether what is said takes the place of all that the statement says, and not only of a value in it: the thing
    /// itself is over, or other names come with a turn.
    pub(super) fn is_whole(&self) -> bool {
        self.over() > 0.0
            || self.name > 0.0
                && self.means + self.owner + self.shown > 0.0
                && self.change + self.lately > 0.0
    }

    /// Whether the person's words speak of the statement's thing, or say that something turned.
    pub(super) fn bind(&self) -> bool {
        let turn = self.change + self.lately + self.removal + self.denial + self.decision + self.shown;
        self.own >= 0.5 || turn > 0.0
    }

    /// Whether the person's words as they are may stand in the statement's place: they speak of its thing, and what they
    /// say cannot be so beside what a statement with values says.
    pub(super) fn turns(&self, has_values: bool) -> bool {
        let turn = self.change + self.lately + self.removal + self.lifted + self.gone + self.rival + self.day;
        let turn = turn + self.named + self.owner + self.decision + self.value + self.loose;
        let other = self.value + self.loose + self.name + self.means;
        self.own + 0.5 * self.around >= 0.25 && turn > 0.0 && self.contradicts(has_values)
            || self.own >= 0.4 && self.name > 0.0
            || self.over() > 0.0 && self.own + self.around > 0.1
            || self.shown + self.shown_other > 0.0
                && other > 0.0
                && turn + self.denial + self.rule + self.recalled > 0.0
    }

    fn contradicts(&self, has_values: bool) -> bool {
        let firm = self.value + self.rival + self.gone + self.day + self.owner + self.lifted + self.named;
        let turned = self.change + self.lately > 0.0;
        firm + self.shown + self.removal > 0.0
            || self.loose > 0.0 && (turned || self.own >= 0.4)
            || self.means > 0.0 && self.own >= 0.3
            || turned && !has_values
            || turned && self.name + self.means > 0.0 && self.own + self.around >= 0.5
    }
}
