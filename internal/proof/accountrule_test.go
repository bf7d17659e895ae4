package proof

import "github.com/usercore-go/usercore/userstore"

// accountRule is what an operation does to an account, if nothing else happens at the time. What depends on the time is judged
// at the earliest or the latest moment that the operation can have taken effect.
func accountRule(s accountState, r *record, early bool) verdict {
	switch {
	case r.kind == create:
		return createRule(s, r)
	case !s.exists:
		return verdict{s, noUser, nil}
	}
	switch r.kind {
	case getUser, profile, list:
		return verdict{s, done, nil}
	case byEmail:
		if s.status == userstore.Deleted {
			return verdict{s, noUser, nil}
		}
		return verdict{s, done, nil}
	case updating, add:
		return activeRule(s, r)
	case sendCode, confirm, setPrimary, remove, getEmail, lapse:
		return rowRule(s, r)
	}
	return lifeRule(s, r, early)
}

func createRule(s accountState, r *record) verdict {
	_, has := s.row(r.address)
	switch {
	case s.exists && (!has || s.status == userstore.Deleted):
		return verdict{s, exists, nil}
	case s.exists:
		return verdict{s, done, nil}
	}
	next := accountState{exists: true, status: userstore.Active, version: 1, name: r.name}
	row := rowState{address: r.address, verified: r.verified}
	if r.verified {
		next.primary = r.address
	}
	return verdict{next.with(row), done, []outcome{taken}}
}

// activeRule is for changes of an active account that are not about one of its rows.
func activeRule(s accountState, r *record) verdict {
	if s.status != userstore.Active {
		return verdict{s, notActive, nil}
	}
	if r.kind == updating {
		switch {
		case r.expected != 0 && r.expected != s.version:
			return verdict{s, version, nil}
		case r.name == s.name:
			return verdict{s, done, nil}
		}
		next := s
		next.name = r.name
		next.version++
		return verdict{next, done, nil}
	}
	if s.count >= maxEmails {
		return verdict{s, tooMany, nil}
	}
	if _, own := s.row(r.address); own {
		return verdict{s, taken, nil}
	}
	return verdict{s.with(rowState{address: r.address, id: r.emailID}), done, []outcome{taken, limited}}
}

// rowRule is for operations on one row.
func rowRule(s accountState, r *record) verdict {
	i, ok := s.row(r.address)
	ok = ok && s.rows[i].id == r.emailID
	switch {
	case r.kind == getEmail && ok:
		return verdict{s, done, nil}
	case r.kind == getEmail:
		return verdict{s, noAddress, nil}
	case r.kind == lapse && ok && !s.rows[i].verified:
		return verdict{s.without(i), done, nil}
	case r.kind == lapse:
		return verdict{s, unexpected, nil}
	case s.status != userstore.Active:
		return verdict{s, notActive, nil}
	case !ok:
		return verdict{s, noAddress, nil}
	}
	isPrimary := s.primary == r.address
	switch r.kind {
	case sendCode:
		if s.rows[i].verified {
			return verdict{s, verified, nil}
		}
		return verdict{s, done, []outcome{limited}}
	case confirm:
		return confirmRule(s, i)
	case setPrimary:
		switch {
		case isPrimary:
			return verdict{s, done, nil}
		case !s.rows[i].verified:
			return verdict{s, unverified, nil}
		}
		next := s
		next.primary = r.address
		next.version++
		return verdict{next, done, nil}
	}
	switch { // Remove
	case s.count <= 1:
		return verdict{s, last, nil}
	case isPrimary:
		return verdict{s, primary, nil}
	}
	return verdict{s.without(i), done, nil}
}

func confirmRule(s accountState, i int) verdict {
	if s.rows[i].verified {
		return verdict{s, done, nil}
	}
	next := s
	next.rows[i].verified = true
	if s.primary == "" {
		next.primary = s.rows[i].address
		next.version++
	}
	return verdict{next, done, []outcome{noCode, expired, wrongCode, attempts}}
}

// lifeRule is for the life cycle.
func lifeRule(s accountState, r *record, early bool) verdict {
	next := s
	next.version++
	isDeleted, isSuspended := s.status == userstore.Deleted, s.status == userstore.Suspended
	switch r.kind {
	case revoke:
		if !isDeleted {
			return verdict{s, done, nil}
		}
	case suspend:
		if isSuspended {
			return verdict{s, done, nil}
		}
		next.status = userstore.Suspended
		if !isDeleted {
			return verdict{next, done, nil}
		}
	case reinstate:
		if s.status == userstore.Active {
			return verdict{s, done, nil}
		}
		next.status = userstore.Active
		if !isDeleted {
			return verdict{next, done, nil}
		}
	case deleting:
		if isDeleted {
			return verdict{s, done, nil}
		}
		next.status, next.hold = userstore.Deleted, isSuspended
		next.purgeMin, next.purgeMax = r.callTime.Add(retention).Unix(), r.answerAt.Add(retention).Unix()
		return verdict{next, done, nil}
	case restore:
		if isDeleted && !s.purged && s.retained(r, early) {
			next.status, next.purgeMin, next.purgeMax = userstore.Active, 0, 0
			if s.hold {
				next.status = userstore.Suspended
			}
			return verdict{next, done, nil}
		}
	case purge, erase:
		switch {
		case s.purged:
			return verdict{s, done, nil}
		case r.kind == erase, isDeleted && !s.retained(r, early):
			return verdict{accountState{exists: true, status: userstore.Deleted, purged: true, version: s.version}, done, nil}
		}
	}
	return verdict{s, status, nil}
}

// retained says whether a deleted account can still be restored.
func (s accountState) retained(r *record, early bool) bool {
	if early {
		return s.purgeMax > r.callTime.Unix()
	}
	return s.purgeMin > r.answerAt.Unix()
}
