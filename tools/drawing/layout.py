# SPDX-License-Identifier: BSD-3-Clause
"""Where the vertices of a map go: by the file's positions where two or more have one, the others around these; else by
force, the longer side across."""

import cmath
import math
from collections import defaultdict

import graphviz
from scene import bounds

SPOKE_INCHES = 1.5  # room for the label of a link
APART_INCHES = 1.0  # between the ends of two spokes
MOST_STEP = math.pi / 3
LINK_INCHES = 2.4  # of a typical link on paper: room for its label
LEAST_POSITIONS = 2  # fewer say nothing of the others
LEAST_INCHES, MOST_INCHES = 5.0, 40.0  # of the map's longer side
MIDDLE_STEPS = 50
FAR_OFF = 3.0  # from the middle, as a multiple of what is typical


def towards(start, end):
    return (end - start) / max(abs(end - start), 1e-9)


def typical(lengths):
    """A mean that extreme ones move little."""
    logarithms = [math.log(length) for length in lengths if length > 0]
    return math.exp(sum(logarithms) / len(logarithms)) if logarithms else 1


def place_by_force(scene):
    """Without Graphviz, a circle on which neighbours in the file are LINK_INCHES apart."""
    count = len(scene.vertices)
    places = graphviz.find_places(count, [(link.u, link.v) for link in scene.links])
    if places is None:
        scene.places = [cmath.rect(LINK_INCHES * count / 2 / math.pi, 2 * math.pi * v / count) for v in range(count)]
        return
    low, high = bounds(places)
    tall = (high - low).imag > (high - low).real
    scene.places = [complex(place.imag, place.real) for place in places] if tall else places


def find_middle(places):
    """The point with the least sum of distances to the places, which few far ones hardly move: Weiszfeld's method."""
    middle = sum(places) / len(places)
    for _ in range(MIDDLE_STEPS - 1):
        weights = [1 / max(abs(place - middle), 1e-9) for place in places]
        middle = sum(weight * place for weight, place in zip(weights, places)) / sum(weights)
    return middle


def draw_in(places):
    """When one is FAR_OFF times as far from the middle as is typical, all beyond the typical distance move towards it, the
    farthest most: else one host overseas leaves no room for the others."""
    limit = typical(abs(place) for place in places)
    if max(abs(place) for place in places) <= FAR_OFF * limit:
        return places
    return [place * (1 + math.log(abs(place) / limit)) / (abs(place) / limit) if abs(place) > limit else place
            for place in places]


def place_by_positions(scene, placed):
    """From the file's plane to inches: directions are kept, and what is far from everything else comes nearer."""
    points = [complex(scene.vertices[v]["x"], scene.vertices[v]["y"]) for v in placed]
    low, high = bounds(points)
    # A degree of longitude is less than one of latitude away from the equator; a plane that is no map is small.
    squeeze = math.cos(min(abs((low + high).imag / 2), 75) * math.pi / 180)
    points = [complex(point.real * squeeze, point.imag) for point in points]
    middle = find_middle(points)
    points = draw_in([point - middle for point in points])
    low, high = bounds(points)
    places = {v: point - low for v, point in zip(placed, points)}
    side = max((high - low).real, (high - low).imag) or 1
    usual = typical(abs(places[link.u] - places[link.v]) for link in scene.links if link.u in places and link.v in places)
    scale = min(max(LINK_INCHES / usual, LEAST_INCHES / side), MOST_INCHES / side)
    return {v: place * scale for v, place in places.items()}


def place_on_spokes(scene, places):
    """A vertex without a place goes a spoke's length from its neighbour, on the side where that one has no other."""
    while True:
        ways, children, adopted = defaultdict(complex), defaultdict(list), set()
        for link in scene.links:
            for one, other in ((link.u, link.v), (link.v, link.u)):
                if one in places and other in places:
                    ways[one] += towards(places[other], places[one])
                elif one in places and other not in adopted:
                    children[one].append(other)
                    adopted.add(other)
        if not adopted:
            return
        for parent, seats in children.items():
            step = min(MOST_STEP, 2 * math.pi / len(seats))
            first = math.pi / 2 if abs(ways[parent]) < 1e-6 else cmath.phase(ways[parent])
            for seat, v in enumerate(seats):
                angle = first + step * (seat - (len(seats) - 1) / 2)
                places[v] = places[parent] + cmath.rect(max(SPOKE_INCHES, APART_INCHES / step), angle)


def place(scene):
    placed = [v for v, vertex in enumerate(scene.vertices) if "x" in vertex]
    if len(placed) < min(LEAST_POSITIONS, len(scene.vertices)):
        place_by_force(scene)
        return
    places = place_by_positions(scene, placed)
    place_on_spokes(scene, places)
    scene.places = [places.get(v, 0j) for v in range(len(scene.vertices))]
