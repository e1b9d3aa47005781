'use strict';

const limit = 5;

function used(n) {
  if (n > limit) {
    return -1;
  }
  return n * 2;
}

function unused(n) {
  const m = n;
  return m + 1;
}

const arrow = (n) => {
  return n;
};

module.exports = { used, unused, arrow };
